/** The largest micro-batches of a request on its cards. */
import { message, type Message } from '../i18n/message';
import type { Architecture } from '../model/architecture';
import { limitBytes } from './cardEstimate';
import { checkRequest } from './check';
import type { EstimateRequest } from './configuration';
import { forwardFor } from './chooseForward';
import { largestFirstMicroBatch, largestMicroBatch } from './largestMicroBatch';
import { type Plays, playsOf, rankAlike } from './plays';

export interface LargestMicroBatches {
  /** Where sizes are tried from 1 up in one process, which leaves optimizer state and workspaces close together. */
  readonly grown: number;
  /** Where a process begins with it, as a training does. */
  readonly atStart: number;
}

/** Null where no card is given, or where the request is refused. */
export function largestMicroBatches(
  architecture: Architecture,
  request: EstimateRequest,
): LargestMicroBatches | null {
  if (checkRequest(architecture, request) !== null) return null;
  return largestOnCards(playsOf(architecture, forwardFor(architecture).forward, request), request);
}

/** Each rank is searched under what its card leaves, no higher than the ranks before it reach. Null where no card is given. */
export function largestOnCards(plays: Plays, request: EstimateRequest): LargestMicroBatches | null {
  const { expandableSegments, training } = request;
  let grown: number | null = null;
  let atStart: number | null = null;
  for (const { limitBytes, rank } of tightestRanks(request, plays.contextOf)) {
    const settings = { expandableSegments, limitBytes, addressOrder: 'falling' } as const;
    const play = (microBatch: number) => plays.simulationWith(rank, microBatch);
    grown = largestMicroBatch(play, settings, training.microBatch, grown);
    atStart = grown === 0 ? 0 : largestFirstMicroBatch(play, settings, grown, atStart);
    if (grown === 0 || atStart === 0) break;
  }
  return grown === null || atStart === null ? null : { grown, atStart };
}

/** Says so where a process that begins with the largest micro-batch would run out of memory. */
export const startWarnings = (largest: LargestMicroBatches | null): readonly Message[] =>
  largest === null || largest.atStart >= largest.grown
    ? []
    : [message('memory.largestAtStart', { atStart: largest.atStart, grown: largest.grown })];

/** Of the ranks that do the same the one with the least memory; none where no card is given. */
function tightestRanks(
  request: EstimateRequest,
  contextOf: (rank: number) => number,
): readonly { readonly rank: number; readonly limitBytes: number }[] {
  const tightest = new Map<number, number>();
  for (let rank = 0; rank < request.world; rank++) {
    const limit = limitBytes(request, rank, contextOf(rank));
    if (limit === null) continue;
    const alike = rankAlike(request, rank);
    tightest.set(alike, Math.min(limit, tightest.get(alike) ?? limit));
  }
  return [...tightest].map(([rank, limit]) => ({ rank, limitBytes: limit }));
}
