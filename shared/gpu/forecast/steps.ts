import { MiB } from '../../units';
import type { Curves } from './curves';
import { indexAt } from './series';

/** Memory that rises in similar steps at regular times, as an evaluation that keeps its graphs does. */
export interface SteppedRise {
  readonly sinceSeconds: number;
  readonly stepBytes: number;
  readonly gapSeconds: number;
  readonly lastStepSecondsAgo: number;
  /** What has come already of the next step, which is being taken; 0 between two steps. */
  readonly begunBytes: number;
  /** The smallest and the largest of the steps. */
  readonly stepRange: readonly [number, number];
  readonly count: number;
  /** The sample before the first of the steps. */
  readonly begin: number;
}

interface Step {
  readonly start: number;
  /** The sample before it. */
  readonly begin: number;
  end: number;
  /** The last sample of it. */
  last: number;
  bytes: number;
}

/** Rises closer together than this are one step. */
const quietSeconds = 4;
/** A step that goes on longer than this, and was not taken between two readings, is a slope and no step. */
const longestStepSeconds = 6;
/** Steps that come faster than this make an even rise, which is judged with more evidence than two steps. */
const leastGapSeconds = 8;
/** How far the steps of one loop differ. */
const mostSizeRatio = 1.25;
/** How far the gaps of one regular loop differ. */
const mostGapRatio = 1.6;
/**
 * Jumps in the first seconds are weights, workspaces and the optimizer's state, which may resemble each other, and no steps of a
 * loop: that turns for longer.
 */
const firstJumpsSeconds = 10;

/**
 * The steps of the newest stretch of similar steps, or null where fewer than two alike are seen. Two steps are alike
 * when neither is more than 1.25 times the other; their gaps, the one before the first
 * step included, must be alike within 1.6: a loop that leaks at regular times began one gap before. A step that is being taken when
 * it is due is foreseen, not seen: how large it becomes is not known yet.
 */
export function steppedRise(curves: Curves, capacityBytes: number, lookSeconds: number): SteppedRise | null {
  const { time } = curves;
  const now = time[time.length - 1] ?? 0;
  const steps = stepsOf(curves, Math.max(64 * MiB, capacityBytes / 100));
  const newest = steps[steps.length - 1];
  if (newest === undefined || !isStep(newest)) return null;
  if (now - newest.end >= quietSeconds / 2) return riseOf(curves, steps, 0, lookSeconds);
  const rise = riseOf(curves, steps.slice(0, -1), newest.bytes, lookSeconds);
  // What is larger than a step of them is something else, which may be given back.
  if (newest.bytes > mostSizeRatio * (rise?.stepBytes ?? 0)) return null;
  return rise !== null && isAlikeGap(rise.gapSeconds, newest.start - now + rise.lastStepSecondsAgo)
    ? rise
    : null;
}

/** The rise that the last of these steps belongs to; null where it is not one of at least two. */
function riseOf(
  curves: Curves,
  steps: readonly Step[],
  begunBytes: number,
  lookSeconds: number,
): SteppedRise | null {
  const { time } = curves;
  const now = time[time.length - 1] ?? 0;
  const begin = (time[0] ?? 0) + firstJumpsSeconds;
  const last = steps[steps.length - 1];
  if (last === undefined || !isStep(last)) return null;
  let first = steps.length - 1;
  while (first > 0 && alike(steps[first - 1], last, begin) && regular(steps, first)) first -= 1;
  if (!regular(steps, first)) return null;
  const count = steps.length - first;
  const oldest = steps[first];
  if (count < 2 || oldest === undefined) return null;
  const gapSeconds = (last.start - oldest.start) / (count - 1);
  const lastStepSecondsAgo = now - last.start;
  if (gapSeconds < Math.max(leastGapSeconds, 4 * lookSeconds)) return null;
  if (lastStepSecondsAgo > gapSeconds * mostGapRatio) return null;
  // Teeth whose lows happen to rise leave the highest mark where it was.
  const highBefore = curves.high[indexAt(time, oldest.start)] ?? 0;
  const sizes = steps.slice(first).map(({ bytes }) => bytes);
  const growth = sizes.reduce((sum, bytes) => sum + bytes, 0);
  if ((curves.high[time.length - 1] ?? 0) - highBefore < growth / 2) return null;
  return {
    sinceSeconds: now - oldest.start,
    stepBytes: growth / count,
    gapSeconds,
    lastStepSecondsAgo,
    begunBytes,
    stepRange: [Math.min(...sizes), Math.max(...sizes)],
    count,
    begin: oldest.begin,
  };
}

function stepsOf({ time, floor }: Curves, leastBytes: number): readonly Step[] {
  const steps: Step[] = [];
  for (let i = 1; i < time.length; i += 1) {
    const t = time[i] ?? 0;
    const rise = (floor[i] ?? 0) - (floor[i - 1] ?? 0);
    if (rise <= 0) continue;
    const open = steps[steps.length - 1];
    if (open !== undefined && (open.last === i - 1 || t - open.end < quietSeconds)) {
      open.end = t;
      open.last = i;
      open.bytes += rise;
    } else steps.push({ start: time[i - 1] ?? t, begin: i - 1, end: t, last: i, bytes: rise });
  }
  return steps.filter((step) => step.bytes >= leastBytes);
}

function isStep({ start, end, begin, last }: Step): boolean {
  return end - start <= longestStepSeconds || last - begin === 1;
}

function alike(a: Step | undefined, b: Step, begin: number): boolean {
  return (
    a !== undefined &&
    a.start >= begin &&
    isStep(a) &&
    Math.max(a.bytes, b.bytes) <= mostSizeRatio * Math.min(a.bytes, b.bytes)
  );
}

function regular(steps: readonly Step[], index: number): boolean {
  const before = steps[index - 1];
  const here = steps[index];
  const after = steps[index + 1];
  if (before === undefined || here === undefined || after === undefined) return true;
  return isAlikeGap(here.start - before.start, after.start - here.start);
}

function isAlikeGap(left: number, right: number): boolean {
  return Math.max(left, right) <= mostGapRatio * Math.min(left, right);
}
