/** Memory of one process over time: seconds (any origin, ascending) and bytes. */
export interface MemorySample {
  readonly t: number;
  readonly bytes: number;
}

/** Samples of the last `recentSeconds` are kept five a second at most, older ones one in ten seconds: hours stay cheap. */
const recentSeconds = 240;
const leastSpacingSeconds = 0.19;
const keptSeconds = 3 * 3600;

/**
 * Appends a sample. A level that stays is kept as its first and last moment, and what is old is thinned: at one a second at most about 240
 * points for four minutes and 1,000 for three hours.
 */
export function remember(history: readonly MemorySample[], sample: MemorySample): readonly MemorySample[] {
  const last = history[history.length - 1];
  if (last !== undefined && sample.t <= last.t) return history;
  if (last !== undefined && sample.t - last.t < leastSpacingSeconds) return history;
  const beforeLast = history[history.length - 2];
  const flat = last?.bytes === sample.bytes && beforeLast?.bytes === sample.bytes;
  const kept = flat ? [...history.slice(0, -1), sample] : [...history, sample];
  return kept.length % 120 === 0 ? thin(kept, sample.t) : kept;
}

function thin(history: readonly MemorySample[], now: number): readonly MemorySample[] {
  let lastBucket = Number.NEGATIVE_INFINITY;
  return history.filter(({ t }) => {
    if (now - t > keptSeconds) return false;
    if (now - t <= recentSeconds) return true;
    const bucket = Math.floor(t / 10);
    const first = bucket !== lastBucket;
    lastBucket = bucket;
    return first;
  });
}

/**
 * The greatest nondecreasing curve under the series: at each point the least that is still to come. It is the series
 * itself while memory only rises, and flat under saw-teeth, so what rises in it is memory that never came back.
 */
export function neverGivenBack(history: readonly MemorySample[]): Float64Array {
  const floor = new Float64Array(history.length);
  let least = Number.POSITIVE_INFINITY;
  for (let i = history.length - 1; i >= 0; i -= 1) {
    least = Math.min(least, history[i]?.bytes ?? least);
    floor[i] = least;
  }
  return floor;
}

/** The highest the series has been so far, at each point. */
export function highWater(history: readonly MemorySample[]): Float64Array {
  const high = new Float64Array(history.length);
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < history.length; i += 1) {
    most = Math.max(most, history[i]?.bytes ?? most);
    high[i] = most;
  }
  return high;
}

/** Index of the last sample at or before `t` (0 where all are later). Samples ascend. */
export function indexAt(history: readonly MemorySample[], t: number): number {
  let low = 0;
  let high = history.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((history[middle]?.t ?? 0) <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}
