import { MiB } from '../../units';
import { indexAt, type MemorySample } from './series';

/** A rise that goes on evenly over a stretch of time that ends now. */
export interface EvenRise {
  readonly sinceSeconds: number;
  readonly slopeBytesPerSecond: number;
  /** It slows down so that, going on like that, it ends within the room there is. */
  readonly levelsOff: boolean;
}

/** Stretches looked at, each a quarter longer than the one before: 20 s to about 2.3 hours. */
const stretches: readonly number[] = Array.from({ length: 28 }, (_, i) => Math.round(20 * 1.25 ** i));
const parts = 4;

/**
 * The longest stretch up to now over which memory rose evenly: each quarter brings at least `leastShare` of its equal
 * part and none more than `mostShare`. Growth that levels off (variable lengths, an allocator warming up) fails in its
 * last quarter, one jump fails in all but one, and the flank of a saw-tooth fails because the highest mark so far did
 * not move. A stretch
 * that does not level off goes before a longer one that does. Null where no stretch is even.
 */
export function longestEvenRise(
  history: readonly MemorySample[],
  floor: Float64Array,
  high: Float64Array,
  roomBytes: number,
): EvenRise | null {
  const end = history.length - 1;
  const now = history[end]?.t ?? 0;
  const start = history[0]?.t ?? 0;
  let longest: EvenRise | null = null;
  for (const length of stretches) {
    if (length > now - start) break;
    const rise = evenRise(history, floor, high, now - length, roomBytes);
    if (rise !== null && (longest === null || longest.levelsOff || !rise.levelsOff)) longest = rise;
  }
  return longest;
}

const leastShare = 0.4;
const mostShare = 2;
const leastGrowthBytes = 24 * MiB;

function evenRise(
  history: readonly MemorySample[],
  floor: Float64Array,
  high: Float64Array,
  from: number,
  roomBytes: number,
): EvenRise | null {
  const to = history[history.length - 1]?.t ?? 0;
  const marks = Array.from({ length: parts + 1 }, (_, i) =>
    indexAt(history, from + ((to - from) * i) / parts),
  );
  const at = (curve: Float64Array, mark: number): number => curve[marks[mark] ?? 0] ?? 0;
  const growth = at(floor, parts) - at(floor, 0);
  if (growth < leastGrowthBytes) return null;
  if (at(high, parts) - at(high, 0) < growth / 2) return null;
  for (let i = 0; i < parts; i += 1) {
    const share = ((at(floor, i + 1) - at(floor, i)) * parts) / growth;
    if (share < leastShare || share > mostShare) return null;
  }
  if (hasStopped(history, floor, marks[0] ?? 0)) return null;
  const firstHalf = at(floor, parts / 2) - at(floor, 0);
  return {
    sinceSeconds: to - from,
    slopeBytesPerSecond: recentSlope(history, floor, marks),
    levelsOff: stillToCome(firstHalf, growth - firstHalf) < roomBytes,
  };
}

/** Whether it has been quiet for clearly longer than it ever was between two increments of the stretch. */
function hasStopped(history: readonly MemorySample[], floor: Float64Array, from: number): boolean {
  let lastIncrement: number | null = null;
  let longestGap = 0;
  for (let i = from + 1; i < history.length; i += 1) {
    if ((floor[i] ?? 0) <= (floor[i - 1] ?? 0)) continue;
    const t = history[i]?.t ?? 0;
    if (lastIncrement !== null) longestGap = Math.max(longestGap, t - lastIncrement);
    lastIncrement = t;
  }
  const now = history[history.length - 1]?.t ?? 0;
  return lastIncrement !== null && now - lastIncrement > 1.5 * longestGap + 2;
}

/** Sum of a geometric series: if each half-stretch adds the same share of the one before, this much is left. */
function stillToCome(firstHalf: number, secondHalf: number): number {
  return secondHalf < firstHalf
    ? (secondHalf * secondHalf) / (firstHalf - secondHalf)
    : Number.POSITIVE_INFINITY;
}

/** Slope over the last half of the stretch by least squares: recent, and not led by a single point. */
function recentSlope(
  history: readonly MemorySample[],
  floor: Float64Array,
  marks: readonly number[],
): number {
  const from = marks[parts / 2] ?? 0;
  const to = marks[parts] ?? 0;
  const origin = history[from]?.t ?? 0;
  let n = 0,
    sumT = 0,
    sumB = 0,
    sumTT = 0,
    sumTB = 0;
  for (let i = from; i <= to; i += 1) {
    const t = (history[i]?.t ?? 0) - origin;
    const bytes = floor[i] ?? 0;
    n += 1;
    sumT += t;
    sumB += bytes;
    sumTT += t * t;
    sumTB += t * bytes;
  }
  const spread = n * sumTT - sumT * sumT;
  return spread > 0 ? (n * sumTB - sumT * sumB) / spread : 0;
}
