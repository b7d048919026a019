import type { UsedBytesSeries } from './series';

/**
 * A series as what counts in it. `floor` is the greatest nondecreasing curve under the levels, at each point the least that is
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

/** The curves of a series, without falls that only one look has seen. */
export function curvesOf(series: UsedBytesSeries): Curves {
  const { time } = series;
  const count = time.length;
  const level = new Array<number>(count);
  const high = new Array<number>(count);
  const floor = new Array<number>(count);
  let most = Number.NEGATIVE_INFINITY;
  let before = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i += 1) {
    const seen = series.bytes[i] ?? 0;
    const bytes = seen < before ? settledLevel(series, i) : seen;
    if (bytes > most) most = bytes;
    level[i] = bytes;
    high[i] = most;
    before = seen;
  }
  let least = Number.POSITIVE_INFINITY;
  for (let i = count - 1; i >= 0; i -= 1) {
    const bytes = level[i] ?? least;
    if (bytes < least) least = bytes;
    floor[i] = least;
  }
  return { time, level, floor, high };
}

/** The level after a fall, or that of its lower neighbour where it is a dip. The newest fall waits for a second look. */
function settledLevel({ time, bytes }: UsedBytesSeries, index: number): number {
  const here = bytes[index] ?? 0;
  const before = bytes[index - 1] ?? here;
  const after = bytes[index + 1];
  if (after === undefined) return before;
  const lastsSeconds = (time[index + 1] ?? 0) - (time[index - 1] ?? 0);
  return after <= here || lastsSeconds > dipSeconds ? here : Math.min(before, after);
}
