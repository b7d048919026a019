/** Plays a training run of one process on one card and sums up what its memory did. */
import type { Architecture } from '../model/architecture';
import type { AllocatorSettings, CachingAllocator } from './allocator/allocator';
import { isDdp, type TrainingSettings } from './configuration';
import type { FamilyForward } from '../families/forward';
import { keptByStep, LogPlayer, type LogRange, rangeBetween } from './play';
import { AllocationLog } from './tape/log';
import { modelBuilt, endOf, batchLoaded, type Phase } from './tape/marks';
import { type CardTraits, Tape } from './tape/tape';
import { type BytesByKind, namedKinds, phaseOf, placeAt, timelineOf, type TimelinePoint } from './timeline';
import { aloneSpread, type Spread } from './training/distribution';
import { type ModelPart, partOf } from './training/part';
import { TrainingRun } from './training/run';

/** Steps after which `memory_reserved` has settled. */
const settledSteps = 4;
/** Steps played on the tape at most, where none repeats the one before. */
const mostPlayed = 2;

/** What one process does: its log, and which events are which step. */
export interface StepSimulation {
  readonly log: AllocationLog;
  readonly build: LogRange;
  readonly data: LogRange;
  /** The steps that were played on the tape, in order: the first, and further ones where they differ in kind. */
  readonly steps: readonly LogRange[];
  /** What the last of `steps` makes once and keeps; its other events are every later step. Null: it cannot be repeated. */
  readonly kept: Uint8Array | null;
  /** Whether cuDNN was loaded, which makes the process larger. */
  readonly usesCudnn: boolean;
  /** Whether attention was recomputed, where that was asked. */
  readonly recomputedAttention: boolean;
}

/** Plays steps of one process on the tape until one is like all that follow. */
export function simulate(
  architecture: Architecture,
  family: FamilyForward,
  settings: TrainingSettings,
  card: CardTraits,
  spread: Spread = aloneSpread,
): StepSimulation {
  return simulatePart(partOf(architecture, spread), family, settings, card, spread);
}

/** The same for the part of the model that the process has. */
export function simulatePart(
  part: ModelPart,
  family: FamilyForward,
  settings: TrainingSettings,
  card: CardTraits,
  spread: Spread,
): StepSimulation {
  const log = new AllocationLog();
  const tape = new Tape(log, card);
  const run = new TrainingRun(tape, part, family, settings, spread);
  const steps: LogRange[] = [];
  let kept: Uint8Array | null = null;
  while (steps.length < firstAlike(spread) || (kept === null && steps.length < mostPlayed)) {
    const before = steps.length === 0 ? batchLoaded : endOf('zero_grad', steps.length);
    run.step();
    const range = rangeBetween(log, before, endOf('zero_grad', steps.length + 1));
    steps.push(range);
    kept = keptByStep(log, range);
  }
  return {
    log,
    build: rangeBetween(log, null, modelBuilt),
    data: rangeBetween(log, modelBuilt, batchLoaded),
    steps,
    kept,
    usesCudnn: tape.usesCudnn,
    recomputedAttention: tape.recomputedAttention,
  };
}

/**
 * The first step that all later ones are like, unless it frees what came before it. DDP makes its buckets anew in the second; from the
 * second on ZeRO's stage 3 knows the order in which modules are called.
 */
function firstAlike({ strategy }: Spread): number {
  if (isDdp(strategy)) return 3;
  return strategy === 'zero3' ? 2 : 1;
}

/** A run's peaks in bytes, as `memory_stats` gives them, where the allocated one is, and the course of a step. */
export interface MemorySummary {
  readonly allocatedPeakBytes: number;
  readonly reservedPeakBytes: number;
  readonly peak: { readonly phase: Phase; readonly at: string; readonly byKind: BytesByKind };
  readonly timeline: readonly TimelinePoint[];
}

/**
 * Builds the model, gives its spare memory back as `torch.cuda.empty_cache()` would, and loads a batch. What building takes and gives
 * back (heads before they are tied, whole models before they are sharded) knows no limit: where a card is too small for it, a model is
 * made in the machine's memory and moved. Null: what stays of it is beyond the limit.
 */
function startPlayer(simulation: StepSimulation, settings: AllocatorSettings): LogPlayer | null {
  const { limitBytes } = settings;
  const player = new LogPlayer(simulation.log, settings);
  const { allocator } = player;
  allocator.setLimit(null);
  if (!player.play(simulation.build)) return null;
  allocator.emptyCache();
  if (limitBytes !== null && allocator.reservedBytes > limitBytes) return null;
  allocator.setLimit(limitBytes);
  if (!player.play(simulation.data)) return null;
  player.resetPeak();
  return player;
}

/** The events of the first `count` steps, and what of them a repetition leaves out. */
function stepPlan(
  { kept, steps }: StepSimulation,
  count: number,
): { range: LogRange; skipped: Uint8Array | null }[] {
  const plan: { range: LogRange; skipped: Uint8Array | null }[] = steps.map((range) => ({
    range,
    skipped: null,
  }));
  const last = steps[steps.length - 1];
  while (last !== undefined && kept !== null && plan.length < count)
    plan.push({ range: last, skipped: kept });
  return plan.slice(0, Math.max(count, 1));
}

/** Whether two training steps complete within the allocator's limit, in a process of their own. */
export function completes(simulation: StepSimulation, settings: AllocatorSettings): boolean {
  const player = startPlayer(simulation, settings);
  return player !== null && playSteps(player, stepPlan(simulation, 2));
}

/**
 * The allocator as the steps of `first` leave it: its batch is gone and the cache was emptied, but optimizer state and workspaces lie
 * where its steps put them. Null: they do not complete.
 */
export function leftBehind(first: StepSimulation, settings: AllocatorSettings): CachingAllocator | null {
  const player = startPlayer(first, settings);
  // Later steps of the same kind leave nothing else behind.
  if (player === null || !playSteps(player, stepPlan(first, first.steps.length))) return null;
  player.freeAll(first.data);
  player.allocator.emptyCache();
  return player.allocator;
}

/**
 * Whether two steps complete within the limit in a process that has run a smaller micro-batch before, whose allocator `before` is. So a
 * search by trying goes.
 */
export const completesAfter = (
  before: CachingAllocator | null,
  simulation: StepSimulation,
  settings: AllocatorSettings,
): boolean => reservedAfter(before, simulation, settings) !== null;

/** What such a process reserves at most in those two steps, in bytes; null: they do not complete. */
export function reservedAfter(
  before: CachingAllocator | null,
  simulation: StepSimulation,
  settings: AllocatorSettings,
): number | null {
  const { data, kept, log, steps } = simulation;
  const last = steps[steps.length - 1];
  if (kept === null || last === undefined) {
    const player = startPlayer(simulation, settings);
    const isDone = player !== null && playSteps(player, stepPlan(simulation, 2));
    return isDone ? player.allocator.reservedPeakBytes : null;
  }
  if (before === null) return null;
  const player = new LogPlayer(log, settings, before.copy());
  const step = { range: last, skipped: kept };
  if (!player.play(data)) return null;
  player.resetPeak();
  return playSteps(player, [step, step]) ? player.allocator.reservedPeakBytes : null;
}

type PlannedStep = ReturnType<typeof stepPlan>[number];

const playSteps = (player: LogPlayer, steps: readonly PlannedStep[]): boolean =>
  steps.every(({ range, skipped }) => player.play(range, skipped));

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index]);

/**
 * Peaks over the first steps, and the course of the second one where `timelinePoints` is above 0. Null: under its limit the
 * run does not complete.
 */
export function summarise(
  simulation: StepSimulation,
  settings: AllocatorSettings,
  timelinePoints: number,
): MemorySummary | null {
  const { log } = simulation;
  const player = startPlayer(simulation, settings);
  if (player === null) return null;
  let timeline: readonly TimelinePoint[] = [];
  const plan = stepPlan(simulation, settledSteps);
  let layout: readonly number[] | null = null;
  for (const [index, { range, skipped }] of plan.entries()) {
    if (timelinePoints === 0 || index !== Math.min(1, plan.length - 1)) {
      if (!player.play(range, skipped)) return null;
      // A repeated step that finds the memory as the one before it found it does the same, and so do all after it.
      const before: readonly number[] | null = layout;
      layout = skipped === null ? null : player.allocator.freeLayout();
      if (layout !== null && before !== null && isSame(before, layout)) break;
      continue;
    }
    const before = Float64Array.from(player.bytesByKind);
    const allocated = new Float64Array(range.end - range.start);
    if (!player.play(range, skipped, { allocated })) return null;
    const { blockBytes } = player;
    timeline = timelineOf(log, { range, skipped, allocated, before, blockBytes }, timelinePoints);
  }
  const { allocator, peak } = player;
  return {
    allocatedPeakBytes: allocator.allocatedPeakBytes,
    reservedPeakBytes: allocator.reservedPeakBytes,
    peak: { phase: phaseOf(log, peak.event), at: placeAt(log, peak.event), byKind: namedKinds(peak.byKind) },
    timeline,
  };
}
