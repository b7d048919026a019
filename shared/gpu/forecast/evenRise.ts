import { MiB } from '../../units';
import type { Curves } from './curves';
import { indexAt } from './series';

/** A rise that goes on evenly over a stretch of time that ends now. */
export interface EvenRise {
  readonly sinceSeconds: number;
  readonly slopeBytesPerSecond: number;
  /** The slowest and the fastest of its slopes that what was seen allows. */
  readonly slopeRange: readonly [number, number];
  /** It slows down so that, going on like that, it ends within the room there is. */
  readonly levelsOff: boolean;
  /** It slows down as growth does that comes to rest, though not yet within the room there is. */
  readonly slows: boolean;
  /** The sample at which it began. */
  readonly begin: number;
}

/** Stretches looked at, each a quarter longer than the one before: 20 s to about a day. */
const stretches: readonly number[] = Array.from({ length: 38 }, (_, i) => Math.round(20 * 1.25 ** i));

/** One stretch by the indices of its quarters' ends. */
interface Stretch {
  readonly seconds: number;
  readonly start: number;
  readonly middle: number;
  readonly third: number;
  readonly growth: number;
  readonly levelsOff: boolean;
}

/**
 * The longest stretch up to now over which memory rose evenly: each quarter brings at least `leastShare` of its equal
 * part and none more than `mostShare`. Growth that levels off (variable lengths, an allocator warming up) fails in its
 * last quarter, one jump fails in all but one, and the flank of a saw-tooth fails because the highest mark so far did
 * not move. A stretch that does not level off goes before a longer one that does. Null where no stretch is even.
 * `lookSeconds` is the time between two readings: a quarter holds one at least.
 */
export function longestEvenRise(curves: Curves, roomBytes: number, lookSeconds: number): EvenRise | null {
  const { time, floor } = curves;
  const end = time.length - 1;
  const now = time[end] ?? 0;
  if ((floor[end] ?? 0) - (floor[0] ?? 0) < leastGrowthBytes) return null;
  const quiet = { stays: pausesOf(time, floor), level: pausesOf(time, curves.level) };
  let longest: Stretch | null = null;
  for (const seconds of stretches) {
    if (seconds > now - (time[0] ?? 0)) break;
    if (seconds < 4 * lookSeconds) continue;
    const stretch = evenStretch(curves, seconds, roomBytes, quiet, lookSeconds);
    if (stretch !== null && (longest === null || longest.levelsOff || !stretch.levelsOff)) longest = stretch;
  }
  return longest === null ? null : riseOf(curves, longest);
}

function riseOf(curves: Curves, { seconds, start, middle, third, growth, levelsOff }: Stretch): EvenRise {
  const slopeBytesPerSecond = slopeFrom(curves, middle);
  const slopes = [
    slopeBytesPerSecond,
    growth / seconds,
    slopeFrom(curves, third),
    slopeFrom(curves, start),
  ].filter((slope) => slope > 0);
  // Increments that come at random differ in number by the root of it (Poisson), and so does what they bring.
  const doubt = 1 / Math.sqrt(incrementsFrom(curves.floor, middle));
  return {
    sinceSeconds: seconds,
    slopeBytesPerSecond,
    slopeRange: [Math.min(...slopes) / (1 + doubt), Math.max(...slopes) * (1 + doubt)],
    levelsOff,
    slows: slowsDown(curves),
    begin: start,
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
  quiet: Quiet,
  lookSeconds: number,
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
  if (hasStopped(quiet, start, lookSeconds)) return null;
  if (hangsOnOneJump(floor, start, third, least)) return null;
  const firstHalf = atMiddle - bottom;
  const levelsOff = stillToCome(firstHalf, growth - firstHalf) < roomBytes;
  return { seconds, start, middle, third, growth, levelsOff };
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

function incrementsFrom(floor: readonly number[], from: number): number {
  let count = 0;
  for (let i = from + 1; i < floor.length; i += 1) if (incrementAt(floor, i) > 0) count += 1;
  return Math.max(1, count);
}

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

/** For how long nothing has been added, and for each sample the longest time between two additions after it, in seconds. */
interface Quiet {
  readonly stays: Pauses;
  readonly level: Pauses;
}
interface Pauses {
  readonly nowSeconds: number;
  readonly longestAfter: readonly number[];
}

/**
 * A rise that has been quiet for clearly longer than it ever was has stopped: both what stays, and what is held at all. Under a level that
 * was given back what stays is quiet though memory rose all the time.
 */
function hasStopped({ stays, level }: Quiet, start: number, lookSeconds: number): boolean {
  return [stays, level].some(
    ({ nowSeconds, longestAfter }) =>
      nowSeconds > 1.5 * (longestAfter[start] ?? 0) + 2 * Math.max(1, lookSeconds),
  );
}

function pausesOf(time: readonly number[], bytes: readonly number[]): Pauses {
  const end = time.length - 1;
  const longestAfter = new Array<number>(time.length);
  let newest: number | null = null;
  let later: number | null = null;
  let longest = 0;
  for (let i = end; i >= 0; i -= 1) {
    longestAfter[i] = longest;
    if (i === 0 || (bytes[i] ?? 0) <= (bytes[i - 1] ?? 0)) continue;
    const t = time[i] ?? 0;
    newest ??= t;
    if (later !== null) longest = Math.max(longest, later - t);
    later = t;
  }
  return { nowSeconds: newest === null ? 0 : (time[end] ?? 0) - newest, longestAfter };
}

/** Sum of a geometric series: if each half-stretch adds the same share of the one before, this much is left. */
function stillToCome(firstHalf: number, secondHalf: number): number {
  return secondHalf < firstHalf
    ? (secondHalf * secondHalf) / (firstHalf - secondHalf)
    : Number.POSITIVE_INFINITY;
}

/**
 * Whether what came in the last quarter of all the time seen is to what came in the quarter before as in growth that comes to rest, not as
 * in an even one. Growth that slows like a logarithm, the slowest way to come to rest that is known of allocators, brings
 * ln(4/3) after ln(3/2) there, 0.71 of it; what brings less than the middle between that and 1 slows down. Few increments leave a doubt of
 * one of them, which is the even growth's.
 */
function slowsDown({ time, floor }: Curves): boolean {
  const end = time.length - 1;
  const begin = time[0] ?? 0;
  const age = (time[end] ?? 0) - begin;
  const half = indexAt(time, begin + age / 2);
  const threeQuarters = indexAt(time, begin + (3 * age) / 4, half);
  const before = (floor[threeQuarters] ?? 0) - (floor[half] ?? 0);
  const after = (floor[end] ?? 0) - (floor[threeQuarters] ?? 0);
  if (before <= 0) return false;
  const share = (1 + Math.log(4 / 3) / Math.log(3 / 2)) / 2;
  return after / before < share - 1 / incrementsFrom(floor, threeQuarters);
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
