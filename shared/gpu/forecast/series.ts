/** Memory of one process at one moment: seconds (any origin) and bytes. */
export interface MemorySample {
  readonly t: number;
  readonly bytes: number;
}

/**
 * Memory of one process over time, ascending. Two lists of numbers and not one of samples: the rules of a tick walk through
 * ten thousands of them, and numbers lie side by side.
 */
export interface UsedBytesSeries {
  readonly time: readonly number[];
  readonly bytes: readonly number[];
}

/**
 * What is remembered of one process's memory. Almost all of it stays as it is from one second to the next, so it stands apart
 * from the newest samples: a longer past is a copy of these few, not of hundreds.
 */
export interface MemoryPast {
  readonly older: UsedBytesSeries;
  readonly newest: UsedBytesSeries;
}

const nothing: UsedBytesSeries = { time: [], bytes: [] };

export const noPast: MemoryPast = { older: nothing, newest: nothing };

/**
 * Every sample of the last `recentSeconds` is kept, five a second at most: the shortest rises and steps are judged by them. Older ones
 * share buckets whose width doubles each time the age does, and of a bucket its lowest and its highest sample stay, so that neither what
 * was held nor how high it went is lost. A doubling of the age costs 48 samples at most: 400 points hold a week.
 */
const recentSeconds = 240;
const leastSpacingSeconds = 0.19;
const bucketSeconds = 10;
/** So many samples are copied at most when one is added. */
const newestCount = 24;

/**
 * Adds a sample. A level that stays is kept as its first and last moment, and what is old is thinned. One that is no later than the
 * last, or too soon after it, changes nothing.
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
export function seriesOf({ older, newest }: MemoryPast): UsedBytesSeries {
  return older.time.length === 0 ? newest : joined(older, newest);
}

function withSample({ time, bytes }: UsedBytesSeries, sample: MemorySample): UsedBytesSeries {
  return { time: [...time, sample.t], bytes: [...bytes, sample.bytes] };
}

function joined(before: UsedBytesSeries, after: UsedBytesSeries): UsedBytesSeries {
  return { time: before.time.concat(after.time), bytes: before.bytes.concat(after.bytes) };
}

function part({ time, bytes }: UsedBytesSeries, from: number, to?: number): UsedBytesSeries {
  return { time: time.slice(from, to), bytes: bytes.slice(from, to) };
}

function thinned(series: UsedBytesSeries, now: number): UsedBytesSeries {
  const first = series.time[0];
  if (first === undefined || now - first <= recentSeconds) return series;
  const time: number[] = [];
  const bytes: number[] = [];
  const keep = (index: number): void => {
    time.push(series.time[index] ?? 0);
    bytes.push(series.bytes[index] ?? 0);
  };
  const count = series.time.length;
  let index = 0;
  while (index < count && now - (series.time[index] ?? 0) > recentSeconds) {
    const end = bucketEnd(series.time[index] ?? 0, now);
    let low = index;
    let high = index;
    for (; index < count && (series.time[index] ?? 0) < end; index += 1) {
      const here = series.bytes[index] ?? 0;
      if (here < (series.bytes[low] ?? 0)) low = index;
      if (here > (series.bytes[high] ?? 0)) high = index;
    }
    keep(Math.min(low, high));
    if (low !== high) keep(Math.max(low, high));
  }
  for (; index < count; index += 1) keep(index);
  return { time, bytes };
}

/** When the bucket of a sample ends. Buckets lie on multiples of their width, so that a wider one is two narrower ones. */
function bucketEnd(t: number, now: number): number {
  const doublings = Math.max(0, Math.floor(Math.log2((now - t) / recentSeconds)));
  const width = bucketSeconds * 2 ** doublings;
  return (Math.floor(t / width) + 1) * width;
}

/**
 * The time between two looks at the process, in seconds: the least between two of the newest samples, as a level that stays is kept as
 * two moments. 0 of a series with fewer than two.
 */
export function lookSeconds({ time }: UsedBytesSeries): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = Math.max(1, time.length - newestGaps); i < time.length; i += 1)
    least = Math.min(least, (time[i] ?? 0) - (time[i - 1] ?? 0));
  return Number.isFinite(least) ? least : 0;
}

const newestGaps = 8;

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
