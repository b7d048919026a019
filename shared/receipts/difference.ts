/** How far a run was from its plan. */
import type { Receipt, ReceiptRank } from './types';

/** `allocated`: of PyTorch's allocator, from the run's own log; `process`: what nvidia-smi showed, context included. */
export interface Difference {
  readonly of: 'allocated' | 'process';
  readonly rank: number;
  readonly plannedBytes: number;
  readonly measuredBytes: number;
  /** Measured over planned less one: 0.012 is 1.2 % more than planned. */
  readonly share: number;
}

/** So many readings without a rise say that the first steps are over. */
const settledReadings = 10;

/** Whether the process has long held what it holds: what it reached before that may grow yet. */
export const isSettled = ({ processBytes, steadyReadings }: ReceiptRank): boolean =>
  processBytes !== null && steadyReadings >= settledReadings;

/** A rank's difference, by the allocator where the run told it; null where neither is known or nothing was planned. */
function rankDifference(rank: ReceiptRank): Difference | null {
  const { allocatedPeakBytes, planned, processBytes } = rank;
  if (allocatedPeakBytes !== null && planned.allocatedPeakBytes > 0)
    return difference('allocated', rank.rank, planned.allocatedPeakBytes, allocatedPeakBytes);
  if (processBytes !== null && planned.processBytes > 0)
    return difference('process', rank.rank, planned.processBytes, processBytes);
  return null;
}

/** The difference of the rank that was planned to be the fullest of those that are known. */
export function receiptDifference(receipt: Receipt): Difference | null {
  const known = receipt.ranks.flatMap((rank) => rankDifference(rank) ?? []);
  return known.reduce<Difference | null>(
    (fullest, one) => (fullest === null || one.plannedBytes > fullest.plannedBytes ? one : fullest),
    null,
  );
}

function difference(
  of: Difference['of'],
  rank: number,
  plannedBytes: number,
  measuredBytes: number,
): Difference {
  return { of, rank, plannedBytes, measuredBytes, share: measuredBytes / plannedBytes - 1 };
}

/** A share as people read a difference: `+1.2 %`, the same in every language. */
export function signedPercent(share: number): string {
  const tenths = Math.round(share * 1000);
  const sign = tenths > 0 ? '+' : tenths < 0 ? '−' : '±';
  return `${sign}${(Math.abs(tenths) / 10).toFixed(1)} %`;
}
