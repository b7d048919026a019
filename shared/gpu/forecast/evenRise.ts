import { MiB } from '../../units';
import type { Curves } from './curves';
import { indexAt } from './series';

/** A rise that goes on evenly over a stretch of time that ends now. */
export interface EvenRise {
  readonly sinceSeconds: number;
  readonly slopeBytesPerSecond: number;
  /** It slows down so that, going on like that, it ends within the room there is. */
  readonly levelsOff: boolean;
  /** What came in its second half as a share of what came in its first. */
  readonly lastingShare: number;
}

/** Stretches looked at, each a quarter longer than the one before: 20 s to about 2.3 hours. */
const stretches: readonly number[] = Array.from({ length: 28 }, (_, i) => Math.round(20 * 1.25 ** i));

/** One stretch by the indices of its quarters' ends. */
interface Stretch {
  readonly seconds: number;
  readonly middle: number;
  readonly growth: number;
  readonly firstHalf: number;
  readonly levelsOff: boolean;
}

/**
 * The longest stretch up to now over which memory rose evenly: each quarter brings at least `leastShare` of its equal
 * part and none more than `mostShare`. Growth that levels off (variable lengths, an allocator warming up) fails in its
 * last quarter, one jump fails in all but one, and the flank of a saw-tooth fails because the highest mark so far did
 * not move. A stretch that does not level off goes before a longer one that does. Null where no stretch is even.
 */
export function longestEvenRise(curves: Curves, roomBytes: number): EvenRise | null {
  const { time, floor } = curves;
  const end = time.length - 1;
  const now = time[end] ?? 0;
  if ((floor[end] ?? 0) - (floor[0] ?? 0) < leastGrowthBytes) return null;
  const quiet = quietFor(curves);
  let longest: Stretch | null = null;
  for (const seconds of stretches) {
    if (seconds > now - (time[0] ?? 0)) break;
    const stretch = evenStretch(curves, seconds, roomBytes, quiet);
    if (stretch !== null && (longest === null || longest.levelsOff || !stretch.levelsOff)) longest = stretch;
  }
  if (longest === null) return null;
  const { seconds, firstHalf, growth, levelsOff, middle } = longest;
  return {
    sinceSeconds: seconds,
    slopeBytesPerSecond: slopeFrom(curves, middle),
    levelsOff,
    lastingShare: firstHalf > 0 ? (growth - firstHalf) / firstHalf : Number.POSITIVE_INFINITY,
  };
}

/**
 * What a quarter may bring, as parts of its equal share. Below the least growth has stopped or begun late; a quarter with twice its share
 * and more holds half of all growth, which is a jump. Assumed: closer bounds warn later of batches of random lengths, wider ones cry wolf
 * of an allocator that warms up. The recorded and the made-up series of the tests hold both.
 */
const leastShare = 0.4;
const mostShare = 2;
/** A dozen of the allocator's smallest segments of 2 MiB, which come and go without a leak. */
const leastGrowthBytes = 24 * MiB;

function evenStretch(
  { time, floor, high }: Curves,
  seconds: number,
  roomBytes: number,
  quiet: readonly number[],
): Stretch | null {
  const end = time.length - 1;
  const from = (time[end] ?? 0) - seconds;
  const start = indexAt(time, from);
  const bottom = floor[start] ?? 0;
  const top = floor[end] ?? 0;
  const growth = top - bottom;
  if (growth < leastGrowthBytes || (high[end] ?? 0) - (high[start] ?? 0) < growth / 2) return null;
  const least = (leastShare / 4) * growth;
  const most = (mostShare / 4) * growth;
  const first = indexAt(time, from + seconds / 4, start);
  const atFirst = floor[first] ?? 0;
  if (!isBetween(atFirst - bottom, least, most)) return null;
  const middle = indexAt(time, from + seconds / 2, first);
  const atMiddle = floor[middle] ?? 0;
  if (!isBetween(atMiddle - atFirst, least, most)) return null;
  const third = indexAt(time, from + (3 * seconds) / 4, middle);
  const atThird = floor[third] ?? 0;
  if (!isBetween(atThird - atMiddle, least, most) || !isBetween(top - atThird, least, most)) return null;
  if ((quiet[0] ?? 0) > 1.5 * (quiet[1 + start] ?? 0) + 2) return null;
  if (hangsOnOneJump(floor, start, third, least)) return null;
  const firstHalf = atMiddle - bottom;
  const levelsOff = stillToCome(firstHalf, growth - firstHalf) < roomBytes;
  return { seconds, middle, growth, firstHalf, levelsOff };
}

/**
 * Whether the last quarter is even only by one jump the like of which was not there before, or is mostly such a jump with
 * nothing after it: what grew has stopped, and something else began.
 */
function hangsOnOneJump(floor: readonly number[], start: number, third: number, least: number): boolean {
  const end = floor.length - 1;
  const at = largestIncrement(floor, third, end);
  const jump = incrementAt(floor, at);
  const top = floor[end] ?? 0;
  const last = top - (floor[third] ?? 0);
  const endsWithIt = jump > last / 2 && (floor[at] ?? 0) === top;
  if (last - jump >= least && !endsWithIt) return false;
  return jump > alikeFactor * incrementAt(floor, largestIncrement(floor, start, third));
}

/** Increments of a random size that are within this of each other come from the same cause. Assumed, as samples of a batch are. */
const alikeFactor = 2;

/** The index of the largest increment after `from` up to `to`. */
function largestIncrement(floor: readonly number[], from: number, to: number): number {
  let largest = from + 1;
  for (let i = from + 2; i <= to; i += 1)
    if (incrementAt(floor, i) > incrementAt(floor, largest)) largest = i;
  return largest;
}

function incrementAt(floor: readonly number[], index: number): number {
  return (floor[index] ?? 0) - (floor[index - 1] ?? 0);
}

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

/**
 * First for how long nothing has been added, then for each sample the longest time between two increments after it: a rise
 * that has been quiet for clearly longer than it ever was has stopped.
 */
function quietFor({ time, floor }: Curves): readonly number[] {
  const end = time.length - 1;
  const now = time[end] ?? 0;
  const quiet = new Array<number>(time.length + 1);
  let newest: number | null = null;
  let later: number | null = null;
  let longest = 0;
  for (let i = end; i >= 0; i -= 1) {
    quiet[1 + i] = longest;
    if (i === 0 || (floor[i] ?? 0) <= (floor[i - 1] ?? 0)) continue;
    const t = time[i] ?? 0;
    newest ??= t;
    if (later !== null) longest = Math.max(longest, later - t);
    later = t;
  }
  quiet[0] = newest === null ? 0 : now - newest;
  return quiet;
}

/** Sum of a geometric series: if each half-stretch adds the same share of the one before, this much is left. */
function stillToCome(firstHalf: number, secondHalf: number): number {
  return secondHalf < firstHalf
    ? (secondHalf * secondHalf) / (firstHalf - secondHalf)
    : Number.POSITIVE_INFINITY;
}

/** Slope of what stays by least squares from sample `from` to now: recent, and not led by a single point. */
function slopeFrom({ time, floor }: Curves, from: number): number {
  const origin = time[from] ?? 0;
  let sumT = 0,
    sumB = 0,
    sumTT = 0,
    sumTB = 0;
  for (let i = from; i < time.length; i += 1) {
    const t = (time[i] ?? 0) - origin;
    const bytes = floor[i] ?? 0;
    sumT += t;
    sumB += bytes;
    sumTT += t * t;
    sumTB += t * bytes;
  }
  const n = time.length - from;
  const spread = n * sumTT - sumT * sumT;
  return spread > 0 ? (n * sumTB - sumT * sumB) / spread : 0;
}
