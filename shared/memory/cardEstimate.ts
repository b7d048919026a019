/** What one card holds: its peaks, the process' size with its interval, and whether that fits. */
import type { GpuModel } from '../gpu/models';
import type { EstimateRequest } from './configuration';
import type { Evidence } from './evidence';
import { type ByteInterval, processInterval, type Scatter, type Slack } from './interval';
import { leftBehind, type MemorySummary, reservedAfter, type StepSimulation, summarise } from './simulation';
import type { BytesByKind, TimelinePoint } from './timeline';
import type { Phase } from './tape/marks';
import { MiB } from '../units';

const timelinePoints = 400;

/**
 * `fits`: the interval's high end is within the card; `tight`: it is not, but the steps complete under the card's limit; `no`: they do
 * not; null: no card is given.
 */
export type Verdict = 'fits' | 'tight' | 'no' | null;

/** What one rank's card will hold; the allocator's peaks are those of `memory_stats`. */
export interface CardEstimate {
  readonly rank: number;
  readonly allocatedPeakBytes: number;
  readonly reservedPeakBytes: number;
  readonly contextBytes: number;
  readonly processBytes: number;
  /**
   * What the process would hold where no card set a limit. More than the card has does not mean that the run fails: the allocator gives
   * cached segments back first.
   */
  readonly unlimitedProcessBytes: number;
  readonly interval: ByteInterval;
  readonly peak: { readonly phase: Phase; readonly at: string; readonly byKind: BytesByKind };
  readonly timeline: readonly TimelinePoint[];
  readonly cardBytes: number | null;
  readonly verdict: Verdict;
}

/** What is the same for all ranks. */
export interface CardFacts {
  readonly card: GpuModel;
  /** The model's head is its table. */
  readonly isTied: boolean;
  /** What a rank's process holds outside of the allocator. */
  readonly contextOf: (rank: number) => number;
  readonly evidence: Evidence;
  /**
   * A rank with a micro-batch of 1, where a run counts that completes after smaller micro-batches have run in its process, as in a search
   * for the largest one; null: only runs that begin with theirs count.
   */
  readonly smallestOf: ((rank: number) => StepSimulation) | null;
}

/** What decides which libraries and connections a process has. */
export interface ContextFacts {
  readonly usesCudnn: boolean;
  readonly rank: number;
  /** The model's head is its table: the first and the last stage of a pipeline sum the gradients of their copies. */
  readonly isTied: boolean;
}

/** What the process holds outside of the allocator: given, or the card's known value for the libraries that the run loads. */
export function contextBytes({ context }: GpuModel, request: EstimateRequest, facts: ContextFacts): number {
  if (request.contextMib !== null) return request.contextMib * MiB;
  return context.base + (facts.usesCudnn ? context.cudnn : 0) + connectionBytes(context, request, facts);
}

/** NCCL and its buffers. */
function connectionBytes(
  context: GpuModel['context'],
  request: EstimateRequest,
  { isTied, rank }: ContextFacts,
): number {
  const { strategy, world } = request;
  if (strategy === 'dp' && world > 1) return context.inProcess;
  if (!communicates(request)) return 0;
  if (world === 1) return context.communicator;
  if (strategy !== 'pipeline') return context.communicator + context.ring;
  const isInner = isInnerStage(request, rank);
  const further = isInner ? context.furtherPeer : 0;
  return context.communicator + context.exchange + further + (isTied && !isInner ? context.ring : 0);
}

/**
 * Whether NCCL has a communicator, even for one process. DataParallel and layers that are placed by one process copy between the cards
 * of that process.
 */
function communicates({ schedule, strategy }: EstimateRequest): boolean {
  if (strategy === 'pipeline') return schedule !== 'sequential';
  return strategy !== 'single' && strategy !== 'dp';
}

/**
 * How reserved memory of a process with several cards, or of one that sends and receives, differed from what is played, on two cards: the
 * kernels of other cards and NCCL's are not done when Python frees, so blocks are taken anew. 38 rows of pipelines and placed layers, 24
 * of DataParallel.
 */
export function scatterOf(
  { schedule, strategy, world }: EstimateRequest,
  rank: number,
  isTied: boolean,
): Scatter | null {
  if (strategy === 'dp') return rank > 0 ? { below: 0.13, above: 0.01 } : null;
  // 16 rows of stage 3 on one rank: blocks that another stream has used come back late.
  if (strategy === 'zero3') return { below: 0.09, above: 0.03 };
  if (strategy !== 'pipeline' || world === 1) return null;
  if (schedule === 'sequential') return { below: 0.01, above: 0.055 };
  // A tied table's gradient is summed with the other stage's, and its memory comes back late.
  return isTied && rank === world - 1 ? { below: 0.01, above: 0.135 } : { below: 0.045, above: 0.025 };
}

/**
 * How far connections of more than two processes may be from what was measured with two: another ring above, and nothing where a
 * stage's second neighbour is taken to need what the first one does.
 */
export function unmeasuredConnections({ context }: GpuModel, request: EstimateRequest, rank: number): Slack {
  const isUnmeasured = request.contextMib === null && communicates(request) && request.world > 2;
  if (!isUnmeasured) return { lessBytes: 0, moreBytes: 0 };
  return { lessBytes: isInnerStage(request, rank) ? context.furtherPeer : 0, moreBytes: context.ring };
}

/** Whether a process is a stage of a pipeline that sends to two others and receives from them. */
const isInnerStage = ({ strategy, world }: EstimateRequest, rank: number): boolean =>
  strategy === 'pipeline' && rank > 0 && rank < world - 1;

/** What a rank's card leaves to the allocator; null where no card is given. */
export function limitBytes(request: EstimateRequest, rank: number, context: number): number | null {
  const cardBytes = cardBytesOf(request, rank);
  return cardBytes === null ? null : Math.max(0, cardBytes - context);
}

interface RankFacts {
  readonly cardBytes: number | null;
  readonly contextBytes: number;
  readonly scatter: Scatter | null;
  readonly unmeasured: Slack;
}

/** One answer a rank. Ranks that play the same step on cards of the same size share it. */
export function estimateCards(
  simulationOf: (rank: number) => StepSimulation,
  request: EstimateRequest,
  facts: CardFacts,
): readonly CardEstimate[] {
  const plays = new Map<StepSimulation, RankPlays>();
  return Array.from({ length: request.world }, (_, rank) => {
    const simulation = simulationOf(rank);
    const known = plays.get(simulation) ?? rankPlays(simulation, request);
    plays.set(simulation, known);
    const cardBytes = cardBytesOf(request, rank);
    const estimate =
      known.bySize.get(cardBytes) ??
      cardEstimate(rank, simulation, request, facts, known.free, {
        cardBytes,
        contextBytes: facts.contextOf(rank),
        scatter: scatterOf(request, rank, facts.isTied),
        unmeasured: unmeasuredConnections(facts.card, request, rank),
      });
    known.bySize.set(cardBytes, estimate);
    return { ...estimate, rank };
  });
}

interface RankPlays {
  readonly free: FreePlays;
  readonly bySize: Map<number | null, CardEstimate>;
}

function rankPlays(simulation: StepSimulation, { expandableSegments, timeline }: EstimateRequest): RankPlays {
  return {
    free: freePlays(simulation, expandableSegments, timeline ? timelinePoints : 0),
    bySize: new Map(),
  };
}

/** The run without a limit, under both orders in which the driver may hand out addresses. */
interface FreePlays {
  readonly expected: MemorySummary;
  readonly reservedBytes: readonly number[];
}

function freePlays(simulation: StepSimulation, expandableSegments: boolean, points: number): FreePlays {
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
 * may still complete: it is then played under that limit. What is reserved is never more than the card leaves, whatever becomes of the
 * run; `allocatedPeakBytes` is what its steps need.
 */
function cardEstimate(
  rank: number,
  simulation: StepSimulation,
  request: EstimateRequest,
  { card, evidence, smallestOf }: CardFacts,
  free: FreePlays,
  { cardBytes, contextBytes: context, scatter, unmeasured }: RankFacts,
): CardEstimate {
  const { contextMib } = request;
  const limit = limitBytes(request, rank, context);
  const unlimitedBytes = free.expected.reservedPeakBytes;
  const limited =
    limit === null || unlimitedBytes <= limit
      ? free.expected
      : limitedPlay(simulation, request, free.expected, limit, () => smallestOf?.(rank) ?? null);
  const reservedPeakBytes = limited?.reservedPeakBytes ?? Math.min(unlimitedBytes, limit ?? Infinity);
  const interval = processInterval({
    // What was given back on the way is not held, so the least that the process may hold is what it has under the limit.
    reservedBytes: [...free.reservedBytes, reservedPeakBytes],
    contextBytes: context,
    contextKnown: card.measured || contextMib !== null,
    unmeasured,
    evidence,
    scatter,
  });
  const summary = limited ?? free.expected;
  return {
    rank: 0,
    allocatedPeakBytes: summary.allocatedPeakBytes,
    reservedPeakBytes,
    contextBytes: context,
    processBytes: reservedPeakBytes + context,
    unlimitedProcessBytes: unlimitedBytes + context,
    interval,
    peak: summary.peak,
    timeline: summary.timeline,
    cardBytes,
    verdict: verdictOf(cardBytes, interval, limited !== null),
  };
}

/**
 * The run under a limit: begun as it is, or where that fails in a process that has run a micro-batch of 1 before, whose optimizer state
 * does not lie between large activations. Null: neither completes.
 */
function limitedPlay(
  simulation: StepSimulation,
  { expandableSegments, timeline }: EstimateRequest,
  expected: MemorySummary,
  limit: number,
  smallest: () => StepSimulation | null,
): MemorySummary | null {
  if (expected.allocatedPeakBytes > limit) return null;
  const settings = { expandableSegments, addressOrder: 'falling', limitBytes: limit } as const;
  const begun = summarise(simulation, settings, timeline ? timelinePoints : 0);
  if (begun !== null) return begun;
  const before = smallest();
  const reserved = before && reservedAfter(leftBehind(before, settings), simulation, settings);
  return reserved === null ? null : { ...expected, reservedPeakBytes: reserved };
}

function verdictOf(cardBytes: number | null, interval: ByteInterval, completed: boolean): Verdict {
  if (cardBytes === null) return null;
  if (completed && interval.highBytes <= cardBytes) return 'fits';
  return completed ? 'tight' : 'no';
}

/** Memory of a rank's card; one size stands for all. Null where it is not given. */
export function cardBytesOf({ cardMib }: EstimateRequest, rank: number): number | null {
  const mib = cardMib.length === 1 ? cardMib[0] : cardMib[rank];
  return mib === undefined ? null : mib * MiB;
}
