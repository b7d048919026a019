import type { MemorySample } from './series';

/**
 * A history as what counts in it. `floor` is the greatest nondecreasing curve under the levels, at each point the least that is
 * still to come: the series itself while memory only rises, flat under saw-teeth, so what rises in it is memory that never
 * came back. `high` is the highest so far. `time` is that of each sample.
 */
export interface Curves {
  readonly time: readonly number[];
  readonly level: readonly number[];
  readonly floor: readonly number[];
  readonly high: readonly number[];
}

/** A fall that ends within this time is a moment between two requests of the allocator: freed, and taken anew. */
const dipSeconds = 2.5;

/** The curves of a history (ascending), without falls that only one look has seen. */
export function curvesOf(history: readonly MemorySample[]): Curves {
  const count = history.length;
  const time = new Array<number>(count);
  const level = new Array<number>(count);
  const high = new Array<number>(count);
  const floor = new Array<number>(count);
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i += 1) {
    const { t, bytes } = at(history, i);
    const settled = i === 0 ? bytes : settledLevel(history, i);
    most = Math.max(most, settled);
    time[i] = t;
    level[i] = settled;
    high[i] = most;
  }
  let least = Number.POSITIVE_INFINITY;
  for (let i = count - 1; i >= 0; i -= 1) {
    least = Math.min(least, level[i] ?? least);
    floor[i] = least;
  }
  return { time, level, floor, high };
}

const nothing: MemorySample = { t: 0, bytes: 0 };

function at(history: readonly MemorySample[], index: number): MemorySample {
  return history[index] ?? nothing;
}

/** The level of a sample, or that of its lower neighbour where it is a dip. The newest fall waits for a second look. */
function settledLevel(history: readonly MemorySample[], index: number): number {
  const { bytes } = at(history, index);
  const before = at(history, index - 1);
  if (bytes >= before.bytes) return bytes;
  const after = history[index + 1] ?? before;
  if (after.bytes <= bytes || after.t - before.t > dipSeconds) return bytes;
  return Math.min(before.bytes, after.bytes);
}
