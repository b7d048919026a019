import { MiB } from '../../units';
import type { Curves } from './curves';

/** What stands above what stays for a while, and is given back. */
export interface Spike {
  readonly bytes: number;
  /** From one to the next, in seconds; null where it was seen once, so that nobody knows whether it comes back. */
  readonly gapSeconds: number | null;
}

/** What rises less above what stays is no spike but the allocator's own segments. */
const leastSpikeBytes = 64 * MiB;
/** A spike begins at this share of the highest one and has ended below half of that: the same work takes much the same memory. */
const alikeShare = 0.7;

/** The excursions of a level above what stays. */
interface Excursions {
  readonly mostBytes: number;
  readonly first: number;
  readonly last: number;
  readonly count: number;
  readonly longestSeconds: number;
}

function excursionsOf({ time, level, floor }: Curves, from: number): Excursions | null {
  let mostBytes = 0;
  for (let i = from; i < level.length; i += 1)
    mostBytes = Math.max(mostBytes, (level[i] ?? 0) - (floor[i] ?? 0));
  if (mostBytes < leastSpikeBytes) return null;
  let first: number | null = null;
  let last = from;
  let count = 0;
  let longestSeconds = 0;
  let isInside = false;
  for (let i = from; i < level.length; i += 1) {
    const above = (level[i] ?? 0) - (floor[i] ?? 0);
    if (!isInside && above >= alikeShare * mostBytes) {
      isInside = true;
      count += 1;
      first ??= i;
      last = i;
    } else if (isInside && above < (alikeShare / 2) * mostBytes) {
      isInside = false;
      longestSeconds = Math.max(longestSeconds, (time[i] ?? 0) - (time[last] ?? 0));
    }
  }
  return first === null ? null : { mostBytes, first, last, count, longestSeconds };
}

/**
 * The highest spike since sample `from`; null where there was none. What runs out of memory is the spike on top of what
 * stays, so growth is measured to where both no longer fit. A cache that gives way is no such spike: its top stays at the card's limit
 * whatever lies below, so only tops that rise with what stays count.
 */
export function spikeSince(curves: Curves, from: number): Spike | null {
  const { time, level, floor } = curves;
  const found = excursionsOf(curves, from);
  if (found === null) return null;
  const { first, last, count, mostBytes } = found;
  if (count === 1) return { bytes: mostBytes, gapSeconds: null };
  const topGrowth = (level[last] ?? 0) - (level[first] ?? 0);
  const floorGrowth = (floor[last] ?? 0) - (floor[first] ?? 0);
  if (topGrowth < floorGrowth / 2) return null;
  return { bytes: mostBytes, gapSeconds: ((time[last] ?? 0) - (time[first] ?? 0)) / (count - 1) };
}

/**
 * The curves up to a spike that is not over yet: one as high as those before, and no longer than they were. Until it falls, what stays
 * seems to have jumped.
 */
export function withoutOpenSpike(curves: Curves, lookSeconds: number): Curves {
  const { time, level, floor, high } = curves;
  const found = excursionsOf(curves, 0);
  if (found === null) return curves;
  const end = level.length - 1;
  const foot = (level[end] ?? 0) - alikeShare * found.mostBytes;
  let before = end;
  while (before >= 0 && (level[before] ?? 0) > foot) before -= 1;
  if (before < 0 || before === end) return curves;
  const lasts = (time[end] ?? 0) - (time[before + 1] ?? 0);
  if (lasts > 1.5 * found.longestSeconds + lookSeconds) return curves;
  const count = before + 1;
  const held = level[before] ?? 0;
  return {
    time: time.slice(0, count),
    level: level.slice(0, count),
    floor: floor.slice(0, count).map((bytes) => Math.min(bytes, held)),
    high: high.slice(0, count),
  };
}
