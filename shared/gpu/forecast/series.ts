/** Memory of one process over time: seconds (any origin, ascending) and bytes. */
export interface MemorySample {
  readonly t: number;
  readonly bytes: number;
}

/**
 * What is remembered of one process's memory. Almost all of it stays as it is from one second to the next, so it stands apart
 * from the newest samples: a longer past is a copy of these few, not of hundreds.
 */
export interface MemoryPast {
  readonly older: readonly MemorySample[];
  readonly newest: readonly MemorySample[];
}

export const noPast: MemoryPast = { older: [], newest: [] };

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
  const last = newest[newest.length - 1];
  if (last === undefined) return { older, newest: [sample] };
  if (sample.t - last.t < leastSpacingSeconds) return past;
  const beforeLast = newest[newest.length - 2];
  if (last.bytes === sample.bytes && beforeLast?.bytes === sample.bytes)
    return { older, newest: [...newest.slice(0, -1), sample] };
  if (newest.length < newestCount) return { older, newest: [...newest, sample] };
  // The last two stay among the newest: a level that goes on replaces the last of them.
  return { older: thinned([...older, ...newest.slice(0, -1)], sample.t), newest: [last, sample] };
}

/** All samples of a past, ascending. */
export function samplesOf({ older, newest }: MemoryPast): readonly MemorySample[] {
  return older.length === 0 ? newest : [...older, ...newest];
}

function thinned(history: readonly MemorySample[], now: number): readonly MemorySample[] {
  const first = history[0];
  if (first === undefined || now - first.t <= recentSeconds) return history;
  let lastBucket = Number.NEGATIVE_INFINITY;
  return history.filter(({ t }) => {
    if (now - t > keptSeconds) return false;
    if (now - t <= recentSeconds) return true;
    const bucket = Math.floor(t / 10);
    const isFirst = bucket !== lastBucket;
    lastBucket = bucket;
    return isFirst;
  });
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
