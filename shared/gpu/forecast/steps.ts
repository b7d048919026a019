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
}

interface Step {
  readonly start: number;
  end: number;
  bytes: number;
}

/** Rises closer together than this are one step. */
const quietSeconds = 4;
/** A step that goes on longer than this is a slope, not a step. */
const longestStepSeconds = 6;
/** Steps that come faster than this make an even rise, which is judged with more evidence than two steps. */
const leastGapSeconds = 8;
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
export function steppedRise(curves: Curves, capacityBytes: number): SteppedRise | null {
  const { time } = curves;
  const now = time[time.length - 1] ?? 0;
  const steps = stepsOf(curves, Math.max(64 * MiB, capacityBytes / 100));
  const newest = steps[steps.length - 1];
  if (newest === undefined || newest.end - newest.start > longestStepSeconds) return null;
  if (now - newest.end >= quietSeconds / 2) return riseOf(curves, steps, 0);
  const rise = riseOf(curves, steps.slice(0, -1), newest.bytes);
  return rise !== null && isAlikeGap(rise.gapSeconds, newest.start - now + rise.lastStepSecondsAgo)
    ? rise
    : null;
}

/** The rise that the last of these steps belongs to; null where it is not one of at least two. */
function riseOf(curves: Curves, steps: readonly Step[], begunBytes: number): SteppedRise | null {
  const { time } = curves;
  const now = time[time.length - 1] ?? 0;
  const begin = (time[0] ?? 0) + firstJumpsSeconds;
  const last = steps[steps.length - 1];
  if (last === undefined || last.end - last.start > longestStepSeconds) return null;
  let first = steps.length - 1;
  while (first > 0 && alike(steps[first - 1], last, begin) && regular(steps, first)) first -= 1;
  if (!regular(steps, first)) return null;
  const count = steps.length - first;
  const oldest = steps[first];
  if (count < 2 || oldest === undefined) return null;
  const gapSeconds = (last.start - oldest.start) / (count - 1);
  const lastStepSecondsAgo = now - last.start;
  if (gapSeconds < leastGapSeconds || lastStepSecondsAgo > gapSeconds * mostGapRatio) return null;
  // Teeth whose lows happen to rise leave the highest mark where it was.
  const highBefore = curves.high[indexAt(time, oldest.start)] ?? 0;
  const growth = steps.slice(first).reduce((sum, step) => sum + step.bytes, 0);
  if ((curves.high[time.length - 1] ?? 0) - highBefore < growth / 2) return null;
  return {
    sinceSeconds: now - oldest.start,
    stepBytes: growth / count,
    gapSeconds,
    lastStepSecondsAgo,
    begunBytes,
  };
}

function stepsOf({ time, floor }: Curves, leastBytes: number): readonly Step[] {
  const steps: Step[] = [];
  for (let i = 1; i < time.length; i += 1) {
    const t = time[i] ?? 0;
    const rise = (floor[i] ?? 0) - (floor[i - 1] ?? 0);
    if (rise <= 0) continue;
    const open = steps[steps.length - 1];
    if (open !== undefined && t - open.end < quietSeconds) {
      open.end = t;
      open.bytes += rise;
    } else steps.push({ start: time[i - 1] ?? t, end: t, bytes: rise });
  }
  return steps.filter((step) => step.bytes >= leastBytes);
}

function alike(a: Step | undefined, b: Step, begin: number): boolean {
  return (
    a !== undefined &&
    a.start >= begin &&
    a.end - a.start <= longestStepSeconds &&
    Math.max(a.bytes, b.bytes) <= 1.25 * Math.min(a.bytes, b.bytes)
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
