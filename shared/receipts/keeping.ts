/** How a receipt comes to be: begun when a tied job is first seen, followed from Snapshot to Snapshot, closed at its end. */
import type { WorkstationState } from '../snapshot/types';
import type { PlannedRank } from '../launch/plan';
import type { SavedPlan } from '../launch/savedPlan';
import type { Job } from '../jobs/types';
import { rankPlaces } from './places';
import type { RankLog } from './rankLog';
import type { Receipt, ReceiptEnd, ReceiptRank, ReceiptSource } from './types';

export interface ReceiptBeginning {
  readonly source: ReceiptSource;
  readonly jobId: string | null;
  readonly simulated: boolean;
  readonly driverVersion: string | null;
  readonly startedAt: number;
}

export function beginReceipt(plan: SavedPlan, beginning: ReceiptBeginning): Receipt {
  const { jobId, startedAt } = beginning;
  return {
    ...beginning,
    id: `${plan.id}/${jobId ?? `measured ${Math.round(startedAt)}`}`,
    planId: plan.id,
    name: plan.name,
    settings: plan.settings,
    correction: plan.correction,
    endedAt: null,
    end: 'running',
    ranks: plan.ranks.map((planned, rank): ReceiptRank => ({
      rank,
      gpuIndex: null,
      cardName: null,
      planned,
      allocatedPeakBytes: null,
      reservedBytes: null,
      processBytes: null,
      steadyReadings: 0,
    })),
  };
}

/** The receipt after one more reading of the cards; the same object where nothing in it changed. */
export function followJob(receipt: Receipt, job: Job, snapshot: Pick<WorkstationState, 'cards'>): Receipt {
  const places = new Map(rankPlaces(job, receipt.ranks.length).map((place) => [place.rank, place]));
  return withRanks(receipt, (rank) => {
    const place = places.get(rank.rank);
    if (place === undefined || place.usedBytes === null) return rank;
    const card = snapshot.cards.find(({ index }) => index === place.gpuIndex);
    const rises = place.usedBytes > (rank.processBytes ?? 0);
    return {
      ...rank,
      gpuIndex: place.gpuIndex,
      cardName: card?.name ?? rank.cardName,
      processBytes: rises ? place.usedBytes : rank.processBytes,
      steadyReadings: rises ? 1 : Math.min(mostCounted, rank.steadyReadings + 1),
    };
  });
}

/** Further readings prove nothing more, and a count that stops leaves a receipt unchanged that need not be written again. */
const mostCounted = 60;

/** What the logs of ranks told, by rank. What a log does not tell stays as it was known. */
export function withLogs(receipt: Receipt, logs: ReadonlyMap<number, RankLog>): Receipt {
  return withRanks(receipt, (rank) => {
    const log = logs.get(rank.rank);
    return log === undefined
      ? rank
      : {
          ...rank,
          allocatedPeakBytes: log.allocatedPeakBytes ?? rank.allocatedPeakBytes,
          reservedBytes: log.reservedBytes ?? rank.reservedBytes,
        };
  });
}

/** Closes the receipt. What the logs say of the end is surer than what could be seen from outside. */
export function endReceipt(
  receipt: Receipt,
  seen: Exclude<ReceiptEnd, 'running'>,
  logs: ReadonlyMap<number, RankLog>,
  time: number,
): Receipt {
  const told = [...logs.values()];
  const failed = told.some((log) => log.failed);
  const finished = told.length > 0 && told.every(({ doneSteps }) => doneSteps !== null);
  const end = seen === 'freed' ? seen : failed ? 'failed' : finished ? 'finished' : seen;
  return { ...withLogs(receipt, logs), end, endedAt: time };
}

export interface Measured {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly end: Exclude<ReceiptEnd, 'running'>;
  readonly logs: ReadonlyMap<number, RankLog>;
  /** The newest Snapshot, for the cards' name; null: none. */
  readonly snapshot: Pick<WorkstationState, 'cards' | 'driverVersion' | 'source'> | null;
}

/** The receipt of a measurement: what its logs told, and what was seen of its processes while they ran. */
export function measuredReceipt(plan: SavedPlan, watched: Receipt | null, measured: Measured): Receipt {
  const { end, endedAt, logs, snapshot, startedAt } = measured;
  const fresh = beginReceipt(plan, {
    source: 'measurement',
    jobId: null,
    simulated: snapshot?.source.kind === 'simulated',
    driverVersion: snapshot?.driverVersion ?? null,
    startedAt,
  });
  // A short run may end before a reading shows it: with cards of one kind its card is known all the same.
  const names = new Set(snapshot?.cards.map(({ name }) => name));
  const [onlyName] = names;
  const cardName = names.size === 1 ? (onlyName ?? null) : null;
  const seen = watched?.ranks ?? fresh.ranks;
  const ranks = seen.map((rank) => ({ ...rank, cardName: rank.cardName ?? cardName }));
  return endReceipt({ ...fresh, ranks }, end, logs, endedAt);
}

/** The receipt of a run that goes on after it was thought to have ended. */
export function reopened(receipt: Receipt): Receipt {
  return receipt.end === 'running' ? receipt : { ...receipt, end: 'running', endedAt: null };
}

/** What was planned for each rank, in their order. */
export const plannedRanks = ({ ranks }: Receipt): readonly PlannedRank[] =>
  ranks.map(({ planned }) => planned);

/** Whether anything was measured. */
export const hasNumbers = ({ ranks }: Receipt): boolean =>
  ranks.some(({ allocatedPeakBytes, processBytes }) => allocatedPeakBytes !== null || processBytes !== null);

/** Whether logs can still tell something of a run. */
export const wantsLogs = ({ ranks }: Receipt): boolean =>
  ranks.some(
    ({ allocatedPeakBytes, reservedBytes }) => allocatedPeakBytes === null || reservedBytes === null,
  );

function withRanks(receipt: Receipt, change: (rank: ReceiptRank) => ReceiptRank): Receipt {
  const ranks = receipt.ranks.map((rank) => {
    const changed = change(rank);
    return sameRank(rank, changed) ? rank : changed;
  });
  return ranks.every((rank, at) => rank === receipt.ranks[at]) ? receipt : { ...receipt, ranks };
}

function sameRank(one: ReceiptRank, other: ReceiptRank): boolean {
  return (
    one.gpuIndex === other.gpuIndex &&
    one.cardName === other.cardName &&
    one.allocatedPeakBytes === other.allocatedPeakBytes &&
    one.reservedBytes === other.reservedBytes &&
    one.processBytes === other.processBytes &&
    one.steadyReadings === other.steadyReadings
  );
}
