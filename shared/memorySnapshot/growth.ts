/** What grows from step to step: the stacks whose memory at the end of each step is more than at the end of the one before. */
import { KiB } from '../units';
import type { DeviceHistory } from './replay';
import type { TrainingStep } from './steps';

export interface GrowingStack {
  readonly stack: number;
  readonly bytesPerStep: number;
  /** At the end of the last step, of this stack. */
  readonly bytes: number;
  readonly count: number;
}

export interface SnapshotGrowth {
  readonly bytesPerStep: number;
  readonly stacks: readonly GrowingStack[];
}

/** Fewer steps cannot tell a leak from a beginning. */
const leastSteps = 3;
/** A stack grows when it does so from nearly every step to the next, */
const leastRises = 0.7;
/** hardly ever shrinks, */
const mostFalls = 0.1;
/** and, where it is not a matter of more tensors but of larger ones, each time and often: batches of any length do that by chance. */
const leastRisesOfOne = 6;
/** Less is what programs keep on purpose: losses as numbers, counters. Ten thousand steps of it take 160 MiB. */
const leastBytesPerStep = 16 * KiB;

/** Null: no growth, or too few steps to tell. */
export function growthOf(history: DeviceHistory, steps: readonly TrainingStep[]): SnapshotGrowth | null {
  if (steps.length < leastSteps) return null;
  const stacks: GrowingStack[] = [];
  for (const [stack, { bytes, counts }] of restsByStack(history, steps)) {
    const growing = growsBy(bytes, counts);
    if (growing === null) continue;
    const last = steps.length - 1;
    stacks.push({ stack, bytesPerStep: growing, bytes: bytes[last] ?? 0, count: counts[last] ?? 0 });
  }
  const bytesPerStep = stacks.reduce((sum, stack) => sum + stack.bytesPerStep, 0);
  if (bytesPerStep < leastBytesPerStep) return null;
  stacks.sort((one, other) => other.bytesPerStep - one.bytesPerStep);
  return { bytesPerStep, stacks };
}

interface Rests {
  /** At the end of each step. */
  readonly bytes: Float64Array;
  readonly counts: Float64Array;
}

function restsByStack(history: DeviceHistory, steps: readonly TrainingStep[]): ReadonlyMap<number, Rests> {
  const rests = new Map<number, Rests>();
  for (const { allocatedAt, bytes, freedAt, stack } of history.allocations) {
    const first = placeFrom(steps, allocatedAt);
    const last = placeFrom(steps, freedAt);
    if (last <= first) continue;
    let entry = rests.get(stack);
    if (entry === undefined) {
      entry = { bytes: new Float64Array(steps.length), counts: new Float64Array(steps.length) };
      rests.set(stack, entry);
    }
    for (let step = first; step < last; step++) {
      entry.bytes[step] = (entry.bytes[step] ?? 0) + bytes;
      entry.counts[step] = (entry.counts[step] ?? 0) + 1;
    }
  }
  return rests;
}

/** The first step that ends at or after an entry. */
function placeFrom(steps: readonly TrainingStep[], event: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle]?.restAt ?? 0) < event) low = middle + 1;
    else high = middle;
  }
  return low;
}

function growsBy(bytes: Float64Array, counts: Float64Array): number | null {
  const changes = bytes.length - 1;
  let [rises, falls] = [0, 0];
  for (let step = 1; step < bytes.length; step++) {
    const change = (bytes[step] ?? 0) - (bytes[step - 1] ?? 0);
    if (change > 0) rises++;
    if (change < 0) falls++;
  }
  const grown = (bytes[changes] ?? 0) - (bytes[0] ?? 0);
  if (grown <= 0 || rises < leastRises * changes || falls > mostFalls * changes) return null;
  const isMore = (counts[changes] ?? 0) - (counts[0] ?? 0) >= rises;
  if (!isMore && (rises < changes || changes < leastRisesOfOne)) return null;
  return grown / changes;
}
