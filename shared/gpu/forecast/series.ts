/** Memory of one process at one moment: seconds (any origin) and bytes. */
export interface MemorySample {
  readonly t: number;
  readonly bytes: number;
}

/**
 * Memory of one process over time, ascending. Two lists of numbers and not one of samples: the rules of a tick walk through
 * ten thousands of them, and numbers lie side by side.
 */
export interface MemorySeries {
  readonly time: readonly number[];
  readonly bytes: readonly number[];
}

/**
 * What is remembered of one process's memory. Almost all of it stays as it is from one second to the next, so it stands apart
 * from the newest samples: a longer past is a copy of these few, not of hundreds.
 */
export interface MemoryPast {
  readonly older: MemorySeries;
  readonly newest: MemorySeries;
}

const nothing: MemorySeries = { time: [], bytes: [] };

export const noPast: MemoryPast = { older: nothing, newest: nothing };

/** Samples of the last `recentSeconds` are kept five a second at most, older ones one in ten seconds: hours stay cheap. */
const recentSeconds = 240;
const leastSpacingSeconds = 0.19;
const keptSeconds = 3 * 3600;
/** So many samples are copied at most when one is added. */
const newestCount = 24;

/**
 * Adds a sample. A level that stays is kept as its first and last moment, and what is old is thinned: at one a second about 240
 * points for four minutes and 1,000 for three hours. One that is no later than the last, or too soon after it, changes nothing.
 */
export function remember(past: MemoryPast, sample: MemorySample): MemoryPast {
  const { older, newest } = past;
  const last = newest.time.length - 1;
  const lastTime = newest.time[last];
  if (lastTime === undefined) return { older, newest: withSample(newest, sample) };
  if (sample.t - lastTime < leastSpacingSeconds) return past;
  if (newest.bytes[last] === sample.bytes && newest.bytes[last - 1] === sample.bytes)
    return { older, newest: { time: [...newest.time.slice(0, last), sample.t], bytes: newest.bytes } };
  if (newest.time.length < newestCount) return { older, newest: withSample(newest, sample) };
  // The last stays among the newest: a level that goes on replaces its second moment.
  return {
    older: thinned(joined(older, part(newest, 0, last)), sample.t),
    newest: withSample(part(newest, last), sample),
  };
}

/** The whole series of a past. */
export function seriesOf({ older, newest }: MemoryPast): MemorySeries {
  return older.time.length === 0 ? newest : joined(older, newest);
}

function withSample({ time, bytes }: MemorySeries, sample: MemorySample): MemorySeries {
  return { time: [...time, sample.t], bytes: [...bytes, sample.bytes] };
}

function joined(before: MemorySeries, after: MemorySeries): MemorySeries {
  return { time: before.time.concat(after.time), bytes: before.bytes.concat(after.bytes) };
}

function part({ time, bytes }: MemorySeries, from: number, to?: number): MemorySeries {
  return { time: time.slice(from, to), bytes: bytes.slice(from, to) };
}

function thinned(series: MemorySeries, now: number): MemorySeries {
  const first = series.time[0];
  if (first === undefined || now - first <= recentSeconds) return series;
  const time: number[] = [];
  const bytes: number[] = [];
  let lastBucket = Number.NEGATIVE_INFINITY;
  for (const [index, t] of series.time.entries()) {
    const bucket = Math.floor(t / 10);
    if (now - t > keptSeconds || (now - t > recentSeconds && bucket === lastBucket)) continue;
    lastBucket = bucket;
    time.push(t);
    bytes.push(series.bytes[index] ?? 0);
  }
  return { time, bytes };
}

/** Index of the last of the ascending times at or before `t` (0 where all are later), looked for from `from` on. */
export function indexAt(time: readonly number[], t: number, from = 0): number {
  let low = from;
  let high = time.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((time[middle] ?? 0) <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}
