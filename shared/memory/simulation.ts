/** Plays a training run of one process on one card and sums up what its memory did. */
import type { Architecture } from '../model/architecture';
import type { AllocatorSettings } from './allocator/allocator';
import type { TrainingSettings } from './configuration';
import type { FamilyForward } from './families/context';
import { keptByStep, LogPlayer, type LogRange, rangeBetween } from './play';
import { AllocationLog } from './tape/log';
import { type CardTraits, Tape } from './tape/tape';
import { type BytesByKind, namedKinds, phaseOf, placeAt, timelineOf, type TimelinePoint } from './timeline';
import { type Phase, TrainingRun } from './training/run';

/** Steps after which `memory_reserved` has settled. */
const SETTLED_STEPS = 4;

/** What one process does: its log, and which events are which step. */
export interface Simulation {
  readonly log: AllocationLog;
  readonly build: LogRange;
  readonly data: LogRange;
  /** The steps that were played on the tape, in order: the first, and the second where it differs in kind. */
  readonly steps: readonly LogRange[];
  /** What the last of `steps` makes once and keeps; its other events are every later step. Null: it cannot be repeated. */
  readonly kept: Uint8Array | null;
  /** Whether cuDNN was loaded, which makes the process larger. */
  readonly usesCudnn: boolean;
}

/** Plays the first step, and a second where the first does not tell all. */
export function simulate(
  architecture: Architecture,
  family: FamilyForward,
  settings: TrainingSettings,
  card: CardTraits,
): Simulation {
  const log = new AllocationLog();
  const tape = new Tape(log, card);
  const run = new TrainingRun(tape, architecture, family, settings);
  run.step();
  const { usesCudnn } = tape;
  const build = rangeBetween(log, null, 'build');
  const data = rangeBetween(log, 'build', 'data');
  const first = rangeBetween(log, 'data', 'zero_grad 1');
  const kept = keptByStep(log, first);
  if (kept !== null) return { log, build, data, steps: [first], kept, usesCudnn };
  run.step();
  const second = rangeBetween(log, 'zero_grad 1', 'zero_grad 2');
  return { log, build, data, steps: [first, second], kept: keptByStep(log, second), usesCudnn };
}

export interface MemorySummary {
  readonly allocatedPeakBytes: number;
  readonly reservedPeakBytes: number;
  readonly peak: { readonly phase: Phase; readonly at: string; readonly byKind: BytesByKind };
  readonly timeline: readonly TimelinePoint[];
}

/** Builds the model, gives its spare memory back as `torch.cuda.empty_cache()` would, and loads a batch. */
function startPlayer(simulation: Simulation, settings: AllocatorSettings): LogPlayer | null {
  const player = new LogPlayer(simulation.log, settings);
  if (!player.play(simulation.build)) return null;
  player.allocator.emptyCache();
  if (!player.play(simulation.data)) return null;
  player.resetPeak();
  return player;
}

/** The events of the first `count` steps, and what of them a repetition leaves out. */
function stepPlan(
  { kept, steps }: Simulation,
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

/** Whether two training steps complete within the allocator's limit. */
export function completes(simulation: Simulation, settings: AllocatorSettings): boolean {
  const player = startPlayer(simulation, settings);
  return (
    player !== null && stepPlan(simulation, 2).every(({ range, skipped }) => player.play(range, skipped))
  );
}

/**
 * Peaks over the first steps, and the course of the second one where `timelinePoints` is above 0. Null: under its limit the
 * run does not complete.
 */
export function summarise(
  simulation: Simulation,
  settings: AllocatorSettings,
  timelinePoints: number,
): MemorySummary | null {
  const { log } = simulation;
  const player = startPlayer(simulation, settings);
  if (player === null) return null;
  let timeline: readonly TimelinePoint[] = [];
  const plan = stepPlan(simulation, SETTLED_STEPS);
  for (const [index, { range, skipped }] of plan.entries()) {
    if (timelinePoints === 0 || index !== Math.min(1, plan.length - 1)) {
      if (!player.play(range, skipped)) return null;
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
