import { MiB } from '../../units';
import { indexAt, type MemorySample } from './series';

/** A rise that goes on evenly over a stretch of time that ends now. */
export interface EvenRise {
  readonly sinceSeconds: number;
  readonly slopeBytesPerSecond: number;
}

/** Stretches looked at, each half as long again as the one before: 20 s to about 2.5 hours. */
const stretches: readonly number[] = Array.from({ length: 17 }, (_, i) => Math.round(20 * 1.5 ** i));
const parts = 4;

/**
 * The longest stretch up to now over which memory rose evenly: each quarter brings at least `leastShare` of its equal
 * part and none more than `mostShare`. Growth that levels off (variable lengths, an allocator warming up) fails in its
 * last quarter, one jump fails in all but one, and the flank of a saw-tooth fails because the highest mark so far did
 * not move. Null where no stretch is even.
 */
export function longestEvenRise(
  history: readonly MemorySample[],
  floor: Float64Array,
  high: Float64Array,
): EvenRise | null {
  const end = history.length - 1;
  const now = history[end]?.t ?? 0;
  const start = history[0]?.t ?? 0;
  let longest: EvenRise | null = null;
  for (const length of stretches) {
    if (length > now - start) break;
    const rise = evenRise(history, floor, high, now - length, now);
    if (rise !== null) longest = rise;
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
  to: number,
): EvenRise | null {
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
  return { sinceSeconds: to - from, slopeBytesPerSecond: recentSlope(history, floor, marks) };
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
