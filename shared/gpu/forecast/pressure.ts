import type { MemorySample } from './series';

/** A process at its limit that lives by giving cached memory back, and gives back less each time. */
export interface RisingPressure {
  readonly sinceSeconds: number;
  readonly slopeBytesPerSecond: number;
  readonly etaSeconds: number;
}

/** From this share of the capacity on, memory is at its limit: the next large request makes the allocator give back. */
const limitShare = 0.88;
/** What comes back at once must be this share of the capacity to be a release and not a freed tensor. */
const releaseShare = 0.15;
const leastTroughs = 6;
/** Mann-Kendall score of a trend that chance shows once in 200 times (one-sided normal quantile of 0.995). */
const certainScore = 2.576;

/**
 * A cache that grows (keys and values, kept outputs) fills the card, PyTorch gives back its free blocks, and the level
 * it falls to is what is really held. When those levels rise beyond chance (Mann-Kendall test) the card will run out
 * although it was "full" many times before. Null where that is not so.
 */
export function risingPressure(
  history: readonly MemorySample[],
  capacityBytes: number,
): RisingPressure | null {
  const last = history[history.length - 1];
  if (last === undefined || !history.some(({ bytes }) => bytes >= limitShare * capacityBytes)) return null;
  const troughs = releaseTroughs(history, releaseShare * capacityBytes);
  const first = troughs[0];
  if (first === undefined || troughs.length < leastTroughs || trendScore(troughs) < certainScore) return null;
  return { sinceSeconds: last.t - first.t, ...nextFull(history, last, capacityBytes) };
}

/** The lowest level after each fall of at least `leastBytes` from the highest level since the trough before. */
function releaseTroughs(history: readonly MemorySample[], leastBytes: number): readonly MemorySample[] {
  const troughs: MemorySample[] = [];
  let peak = 0;
  let low: MemorySample | null = null;
  for (const sample of history) {
    if (low !== null && sample.bytes > low.bytes) {
      if (peak - low.bytes >= leastBytes) troughs.push(low);
      peak = sample.bytes;
      low = null;
    } else if (sample.bytes < peak) low = sample;
    else peak = sample.bytes;
  }
  return troughs;
}

/** Mann-Kendall: rising pairs minus falling pairs over the standard deviation that chance would give (no ties). */
function trendScore(troughs: readonly MemorySample[]): number {
  const n = troughs.length;
  let score = 0;
  for (let i = 0; i < n; i += 1)
    for (let j = i + 1; j < n; j += 1)
      score += Math.sign((troughs[j]?.bytes ?? 0) - (troughs[i]?.bytes ?? 0));
  return score / Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
}

/** When the present tooth reaches the limit, from its own slope. */
function nextFull(
  history: readonly MemorySample[],
  last: MemorySample,
  capacityBytes: number,
): { readonly slopeBytesPerSecond: number; readonly etaSeconds: number } {
  let from = last;
  for (let i = history.length - 2; i >= 0; i -= 1) {
    const sample = history[i];
    if (sample === undefined || sample.bytes > from.bytes || last.t - sample.t > 20) break;
    from = sample;
  }
  const slope = last.t > from.t ? (last.bytes - from.bytes) / (last.t - from.t) : 0;
  const left = Math.max(0, capacityBytes - last.bytes);
  return { slopeBytesPerSecond: slope, etaSeconds: slope > 0 ? left / slope : 0 };
}
