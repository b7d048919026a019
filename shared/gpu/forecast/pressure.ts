import { median } from '../../numbers';
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
/** So many releases make it a way of living. */
const leastReleases = 6;
/** The time since the limit was first reached is cut into so many parts; the lowest level of each is what was held then. */
const parts = 10;
/** Of the 15 pairs of six levels so many must rise: chance does that 20 times in 720. */
const leastRisingPairs = 36;

/**
 * A cache that grows (keys and values, kept outputs) fills the card, PyTorch gives back its free blocks, and the level
 * it falls to is what is really held at that moment. Where those levels rise along a line (Theil and Sen's, which a few odd
 * levels do not bend), the card is full when the line reaches the capacity, although it was "full" many times before. Null
 * where that is not so.
 */
export function risingPressure(
  history: readonly MemorySample[],
  capacityBytes: number,
): RisingPressure | null {
  const last = history[history.length - 1];
  const begin = firstAtLeast(history, limitShare * capacityBytes);
  const first = history[begin];
  if (last === undefined || first === undefined) return null;
  if (releases(history, begin, releaseShare * capacityBytes) < leastReleases) return null;
  const lowest = lowestOfParts(history, begin, last.t);
  if (lowest.length < parts || risingPairs(lowest) < leastRisingPairs) return null;
  const slopeBytesPerSecond = medianSlope(lowest);
  if (slopeBytesPerSecond <= 0) return null;
  const held = median(lowest.map(({ t, bytes }) => bytes + slopeBytesPerSecond * (last.t - t)));
  return {
    sinceSeconds: last.t - first.t,
    slopeBytesPerSecond,
    etaSeconds: Math.max(0, capacityBytes - held) / slopeBytesPerSecond,
  };
}

/** The index of the first sample of at least `bytes`; -1 where there is none. */
function firstAtLeast(history: readonly MemorySample[], bytes: number): number {
  for (let i = 0; i < history.length; i += 1) if ((history[i]?.bytes ?? 0) >= bytes) return i;
  return -1;
}

/** How often the level fell by at least `leastBytes` from the highest since the fall before. */
function releases(history: readonly MemorySample[], begin: number, leastBytes: number): number {
  let count = 0;
  let peak = 0;
  let low = Number.POSITIVE_INFINITY;
  for (let i = begin; i < history.length; i += 1) {
    const bytes = history[i]?.bytes ?? 0;
    if (bytes > low) {
      if (peak - low >= leastBytes) count += 1;
      peak = bytes;
      low = Number.POSITIVE_INFINITY;
    } else if (bytes < peak) low = bytes;
    else peak = bytes;
  }
  return count;
}

function lowestOfParts(history: readonly MemorySample[], begin: number, to: number): readonly MemorySample[] {
  const from = history[begin]?.t ?? 0;
  const lowest = new Map<number, MemorySample>();
  for (let i = begin; i < history.length; i += 1) {
    const sample = history[i];
    if (sample === undefined) continue;
    const part = Math.min(parts - 1, Math.floor((parts * (sample.t - from)) / (to - from)));
    const before = lowest.get(part);
    if (before === undefined || sample.bytes < before.bytes) lowest.set(part, sample);
  }
  return [...lowest.values()];
}

function risingPairs(levels: readonly MemorySample[]): number {
  return pairs(levels, (early, late) => (late.bytes > early.bytes ? 1 : 0)).reduce(
    (sum, one) => sum + one,
    0,
  );
}

function medianSlope(levels: readonly MemorySample[]): number {
  return median(pairs(levels, (early, late) => (late.bytes - early.bytes) / (late.t - early.t)));
}

function pairs(
  levels: readonly MemorySample[],
  of: (early: MemorySample, late: MemorySample) => number,
): readonly number[] {
  return levels.flatMap((early, index) => levels.slice(index + 1).map((late) => of(early, late)));
}
