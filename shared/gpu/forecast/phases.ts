import type { Curves } from './curves';

/** What was freed came as fast as what comes now, within this: the same work, with batches of other lengths. Assumed. */
const alikePace = 3;
/** How near the level before a rise and the one after it was freed must be to be the same, as a part of its height. */
const sameLevelShare = 0.15;
/** What was freed must have been this part of the rise that is asked about to be told from noise. */
const leastShare = 0.2;

/**
 * Whether a rise from sample `begin` on starts where an earlier one like it started that was given back whole: an evaluation, an epoch's
 * cache, a notebook's cell. What was freed once will be freed again, so such a rise is a phase until the card is about to be full.
 */
export function wasFreedBefore({ time, level, floor }: Curves, begin: number): boolean {
  const end = time.length - 1;
  const start = lastNear(floor, begin, end);
  const base = level[start] ?? 0;
  const growth = (floor[end] ?? 0) - base;
  if (growth <= 0) return false;
  const slope = growth / Math.max(1, (time[end] ?? 0) - (time[start] ?? 0));
  let peak = -1;
  for (let i = 0; i < start; i += 1) {
    if (Math.abs((level[i] ?? 0) - base) > sameLevelShare * Math.max(growth, (level[peak] ?? base) - base)) {
      if ((level[i] ?? 0) > (level[peak] ?? base)) peak = i;
      continue;
    }
    if (peak >= 0 && isLikeFlank({ time, level }, peak, base, growth, slope)) return true;
    peak = -1;
  }
  return peak >= 0 && isLikeFlank({ time, level }, peak, base, growth, slope);
}

/** The last sample from which less than a tenth of the growth had come. */
function lastNear(floor: readonly number[], begin: number, end: number): number {
  const bottom = floor[begin] ?? 0;
  const limit = bottom + ((floor[end] ?? 0) - bottom) / 10;
  let last = begin;
  while (last + 1 < end && (floor[last + 1] ?? 0) <= limit) last += 1;
  return last;
}

function isLikeFlank(
  { time, level }: Pick<Curves, 'time' | 'level'>,
  peak: number,
  base: number,
  growth: number,
  slope: number,
): boolean {
  const height = (level[peak] ?? 0) - base;
  if (height < leastShare * growth) return false;
  let foot = peak;
  while (foot > 0 && (level[foot] ?? 0) - base > sameLevelShare * height) foot -= 1;
  // Without a foot it was there when the process was first seen, or what came before was a load.
  if ((level[foot] ?? 0) - base < -sameLevelShare * height) return false;
  const pace = height / Math.max(1, (time[peak] ?? 0) - (time[foot] ?? 0));
  return pace <= alikePace * slope && slope <= alikePace * pace;
}
