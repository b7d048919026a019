import { median } from '../../numbers';
import type { MemorySample, UsedBytesSeries } from './series';

/** A process at its limit that lives by giving cached memory back, and gives back less each time. */
export interface RisingPressure {
  readonly sinceSeconds: number;
  readonly slopeBytesPerSecond: number;
  /** Between these lie the middle half of the slopes of all pairs. */
  readonly slopeRange: readonly [number, number];
  readonly etaSeconds: number;
}

/**
 * What comes back at once must be this share of the capacity to be a release and not a freed tensor. Assumed: with less, caches that live
 * well at the limit are warned of; with more, those that give back little at a time are not.
 */
const releaseShare = 0.15;
/**
 * From this share of the capacity on, memory is at its limit. A cache gives back what it kept when a request does not fit into the
 * last tenth; a look that comes a second before may lack what is taken in that second, as much as a release brings.
 */
const limitShare = 0.9 - releaseShare;
/** So many releases make it a way of living. Assumed: fewer may be an evaluation. */
const leastReleases = 6;
/** The time since the limit was first reached is cut into so many parts; the lowest level of each is what was held then. */
const parts = 10;
/** Of the 45 pairs of ten levels so many must rise: chance does that in 30,239 of 3,628,800 orders (Mann and Kendall). */
const leastRisingPairs = 36;

/**
 * A cache that grows (keys and values, kept outputs) fills the card, PyTorch gives back its free blocks, and the level
 * it falls to is what is really held at that moment. Where those levels rise along a line (Theil and Sen's, which a few odd
 * levels do not bend), the card is full when the line reaches the capacity, although it was "full" many times before. Null
 * where that is not so.
 */
export function risingPressure(series: UsedBytesSeries, capacityBytes: number): RisingPressure | null {
  const limitBytes = limitShare * capacityBytes;
  const begin = series.bytes.findIndex((bytes) => bytes >= limitBytes);
  const first = series.time[begin];
  const now = series.time[series.time.length - 1];
  if (first === undefined || now === undefined) return null;
  if (releases(series, begin, releaseShare * capacityBytes) < leastReleases) return null;
  const lowest = lowestOfParts(series, begin);
  if (lowest.length < parts || risingPairs(lowest) < leastRisingPairs) return null;
  const slopes = slopesOf(lowest);
  const slopeBytesPerSecond = median(slopes);
  if (slopeBytesPerSecond <= 0) return null;
  const held = median(lowest.map(({ t, bytes }) => bytes + slopeBytesPerSecond * (now - t)));
  return {
    sinceSeconds: now - first,
    slopeBytesPerSecond,
    slopeRange: [quartile(slopes, 1, slopeBytesPerSecond), quartile(slopes, 3, slopeBytesPerSecond)],
    etaSeconds: Math.max(0, capacityBytes - held) / slopeBytesPerSecond,
  };
}

/** How often the level fell by at least `leastBytes` from the highest since the fall before. */
function releases(series: UsedBytesSeries, begin: number, leastBytes: number): number {
  let count = 0;
  let peak = 0;
  let low = Number.POSITIVE_INFINITY;
  for (let i = begin; i < series.bytes.length; i += 1) {
    const bytes = series.bytes[i] ?? 0;
    if (bytes > low) {
      if (peak - low >= leastBytes) count += 1;
      peak = bytes;
      low = Number.POSITIVE_INFINITY;
    } else if (bytes < peak) low = bytes;
    else peak = bytes;
  }
  return count;
}

function lowestOfParts(series: UsedBytesSeries, begin: number): readonly MemorySample[] {
  const from = series.time[begin] ?? 0;
  const length = (series.time[series.time.length - 1] ?? 0) - from;
  const lowest = new Map<number, MemorySample>();
  for (let i = begin; i < series.time.length; i += 1) {
    const t = series.time[i] ?? 0;
    const bytes = series.bytes[i] ?? 0;
    const part = Math.min(parts - 1, Math.floor((parts * (t - from)) / length));
    const before = lowest.get(part);
    if (before === undefined || bytes < before.bytes) lowest.set(part, { t, bytes });
  }
  return [...lowest.values()];
}

function risingPairs(levels: readonly MemorySample[]): number {
  return pairs(levels, (early, late) => (late.bytes > early.bytes ? 1 : 0)).reduce(
    (sum, one) => sum + one,
    0,
  );
}

function slopesOf(levels: readonly MemorySample[]): readonly number[] {
  return pairs(levels, (early, late) => (late.bytes - early.bytes) / (late.t - early.t)).toSorted(
    (a, b) => a - b,
  );
}

/** A quarter of the median at least: a slope of nothing would never fill the card. */
function quartile(ascending: readonly number[], which: 1 | 3, middle: number): number {
  return Math.max(middle / 4, ascending[Math.floor((which * ascending.length) / 4)] ?? middle);
}

function pairs(
  levels: readonly MemorySample[],
  of: (early: MemorySample, late: MemorySample) => number,
): readonly number[] {
  return levels.flatMap((early, index) => levels.slice(index + 1).map((late) => of(early, late)));
}
