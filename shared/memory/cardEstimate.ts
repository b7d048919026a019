/** What one card holds: its peaks, the process' size with its interval, and whether that fits. */
import type { Card } from './cards';
import type { EstimateRequest } from './configuration';
import { type ByteInterval, processInterval } from './interval';
import { type MemorySummary, type Simulation, summarise } from './simulation';
import type { BytesByKind, TimelinePoint } from './timeline';
import type { Phase } from './training/run';

const MIB = 2 ** 20;
const TIMELINE_POINTS = 400;

/** `fits`: the interval's high end is within the card; `tight`: only the expected value is; null: no card is given. */
export type Verdict = 'fits' | 'tight' | 'no' | null;

export interface CardEstimate {
  readonly rank: number;
  readonly allocatedPeakBytes: number;
  readonly reservedPeakBytes: number;
  readonly contextBytes: number;
  readonly processBytes: number;
  readonly interval: ByteInterval;
  readonly peak: { readonly phase: Phase; readonly at: string; readonly byKind: BytesByKind };
  readonly timeline: readonly TimelinePoint[];
  readonly cardBytes: number | null;
  readonly verdict: Verdict;
}

export interface CardFacts {
  readonly card: Card;
  readonly contextBytes: number;
  readonly measured: boolean;
}

/** What the process holds outside of the allocator: given, or the card's known value for the libraries that the run loads. */
export function contextBytes(
  { context }: Card,
  request: EstimateRequest,
  { usesCudnn }: Pick<Simulation, 'usesCudnn'>,
): number {
  if (request.contextMib !== null) return request.contextMib * MIB;
  return (
    context.base +
    (usesCudnn ? context.cudnn : 0) +
    (communicates(request) ? context.communicator : 0) +
    (request.strategy.startsWith('fsdp') ? context.shardingStreams : 0)
  );
}

/**
 * Whether NCCL has a communicator, even for one process. DataParallel and layers that are placed by one process copy between the cards
 * of that process.
 */
export function communicates({ schedule, strategy }: EstimateRequest): boolean {
  if (strategy === 'pipeline') return schedule !== 'sequential';
  return strategy !== 'single' && strategy !== 'dp';
}

/** Other processes that NCCL connects a process with, where their memory is not part of a context that was given. */
export function peersOf(request: EstimateRequest): number {
  return request.contextMib === null && communicates(request) ? request.world - 1 : 0;
}

/** What a rank's card leaves to the allocator; null where no card is given. */
export function limitBytes(request: EstimateRequest, rank: number, context: number): number | null {
  const cardBytes = cardBytesOf(request, rank);
  return cardBytes === null ? null : Math.max(0, cardBytes - context);
}

/** One answer a rank. Ranks that play the same step on cards of the same size share it. */
export function estimateCards(
  simulationOf: (rank: number) => Simulation,
  request: EstimateRequest,
  facts: CardFacts,
): readonly CardEstimate[] {
  const plays = new Map<Simulation, RankPlays>();
  return Array.from({ length: request.world }, (_, rank) => {
    const simulation = simulationOf(rank);
    const known = plays.get(simulation) ?? rankPlays(simulation, request);
    plays.set(simulation, known);
    const cardBytes = cardBytesOf(request, rank);
    const estimate =
      known.bySize.get(cardBytes) ?? cardEstimate(simulation, request, facts, known.free, cardBytes);
    known.bySize.set(cardBytes, estimate);
    return { ...estimate, rank };
  });
}

interface RankPlays {
  readonly free: FreePlays;
  readonly bySize: Map<number | null, CardEstimate>;
}

function rankPlays(simulation: Simulation, { expandableSegments, timeline }: EstimateRequest): RankPlays {
  return {
    free: freePlays(simulation, expandableSegments, timeline ? TIMELINE_POINTS : 0),
    bySize: new Map(),
  };
}

/** The run without a limit, under both orders in which the driver may hand out addresses. */
interface FreePlays {
  readonly expected: MemorySummary;
  readonly reservedBytes: readonly number[];
}

function freePlays(simulation: Simulation, expandableSegments: boolean, points: number): FreePlays {
  const settings = { expandableSegments, limitBytes: null };
  const expected = unlimited(summarise(simulation, { ...settings, addressOrder: 'falling' }, points));
  if (expandableSegments) return { expected, reservedBytes: [expected.reservedPeakBytes] };
  const other = unlimited(summarise(simulation, { ...settings, addressOrder: 'rising' }, 0));
  return { expected, reservedBytes: [expected.reservedPeakBytes, other.reservedPeakBytes] };
}

function unlimited(summary: MemorySummary | null): MemorySummary {
  if (summary === null) throw new Error('A run without a limit completes.');
  return summary;
}

/**
 * On a card of known size PyTorch gives cached memory back before it fails, so a run that would reserve more than the card has
 * may still complete: it is then played under that limit.
 */
function cardEstimate(
  simulation: Simulation,
  request: EstimateRequest,
  { card, contextBytes: context, measured }: CardFacts,
  free: FreePlays,
  cardBytes: number | null,
): CardEstimate {
  const { contextMib, expandableSegments, timeline } = request;
  const interval = processInterval({
    reservedBytes: free.reservedBytes,
    contextBytes: context,
    contextKnown: card.measured || contextMib !== null,
    peers: peersOf(request),
    measured,
  });
  const tooLarge = cardBytes !== null && free.expected.reservedPeakBytes + context > cardBytes;
  const limit = {
    expandableSegments,
    addressOrder: 'falling',
    limitBytes: (cardBytes ?? 0) - context,
  } as const;
  const limited = tooLarge ? summarise(simulation, limit, timeline ? TIMELINE_POINTS : 0) : free.expected;
  const summary = limited ?? free.expected;
  return {
    rank: 0,
    allocatedPeakBytes: summary.allocatedPeakBytes,
    reservedPeakBytes: summary.reservedPeakBytes,
    contextBytes: context,
    processBytes: summary.reservedPeakBytes + context,
    interval,
    peak: summary.peak,
    timeline: summary.timeline,
    cardBytes,
    verdict: verdictOf(cardBytes, interval, limited !== null),
  };
}

function verdictOf(cardBytes: number | null, interval: ByteInterval, completed: boolean): Verdict {
  if (cardBytes === null) return null;
  if (interval.highBytes <= cardBytes) return 'fits';
  return completed ? 'tight' : 'no';
}

function cardBytesOf({ cardMib }: EstimateRequest, rank: number): number | null {
  const mib = cardMib.length === 1 ? cardMib[0] : cardMib[rank];
  return mib === undefined ? null : mib * MIB;
}
