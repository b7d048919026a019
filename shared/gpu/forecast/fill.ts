import type { Course, Rise } from './course';
import { alertSeconds, evidenceFactor, sureSeconds } from './warning';

/** When a card is full by all that grows on it. Rates are bytes a second, times seconds. */
export interface Fill {
  readonly slopeBytesPerSecond: number;
  /** Null where all that rises levels off before. */
  readonly etaSeconds: number | null;
  /** Between these the end lies by all that was seen. */
  readonly etaRangeSeconds: readonly [number, number] | null;
  readonly risingForSeconds: number;
  /** Whether the end is worth an alert. */
  readonly willFill: boolean;
  /** Whether all that rises may be on its way to the card, which stops by itself. */
  readonly mayBeLoading: boolean;
  /** The places of those that grow towards this end. */
  readonly growing: readonly number[];
}

/** A rise this long is a leak, and worth an alert before its end is near. Assumed: what a training builds up has come by then. */
const leakSeconds = 300;

interface Placed {
  readonly place: number;
  readonly course: Course;
  readonly rise: Rise;
}

interface TimeLeft {
  readonly etaSeconds: number;
  readonly range: readonly [number, number];
}

/**
 * What grows on one card adds up: the card is full when what all hold and the growth of all reach its size, counted from the tops that come
 * back. `freeBytes` is what is free now. Null where nothing rises. What is surely a load is shown, never warned of; what may be one, or
 * was freed once before, is warned of at the last moment.
 */
export function fillOf(courses: readonly Course[], freeBytes: number): Fill | null {
  const rising = courses.flatMap((course, place): readonly Placed[] =>
    course.rise === null ? [] : [{ place, course, rise: course.rise }],
  );
  if (rising.length === 0) return null;
  const roomBytes = Math.max(
    0,
    courses.reduce((room, { levelBytes, topBytes }) => room + levelBytes - topBytes, freeBytes),
  );
  const lasting = rising.filter(({ rise }) => !rise.levelsOff);
  const likely = lasting.filter(({ rise }) => rise.loading !== 'surely');
  const certain = likely.filter(({ rise }) => rise.loading === 'no' && !rise.isPhase);
  const shown = [certain, likely, lasting, rising].find(({ length }) => length > 0) ?? rising;
  const left = shown === rising ? null : timeLeft(shown, roomBytes);
  const least = Math.max(0, roomBytes - courses.reduce((sum, { onceAboveBytes }) => sum + onceAboveBytes, 0));
  const soonest = timeLeft(shown === certain ? likely : shown, least).range[0];
  const alarming = isAlarming(certain, roomBytes, false);
  return {
    slopeBytesPerSecond: slopeOf(shown),
    etaSeconds: left?.etaSeconds ?? null,
    etaRangeSeconds: left === null ? null : [Math.min(soonest, left.range[0]), left.range[1]],
    risingForSeconds: meanSince(shown),
    willFill: alarming || isAlarming(likely, roomBytes, true),
    mayBeLoading: shown.every(({ rise }) => rise.loading !== 'no'),
    growing: shown.map(({ place }) => place),
  };
}

function isAlarming(rising: readonly Placed[], roomBytes: number, isDoubtful: boolean): boolean {
  if (rising.length === 0) return false;
  const { etaSeconds } = timeLeft(rising, roomBytes);
  const since = meanSince(rising);
  if (etaSeconds > evidenceFactor * since && !rising.every(hasSteps)) return false;
  if (isDoubtful && etaSeconds > lastMoment(rising)) return false;
  if (etaSeconds <= alertSeconds && isMostly(rising, ({ rise }) => rise.isEvident)) return true;
  return (
    since >= leakSeconds &&
    etaSeconds <= evidenceFactor * since &&
    !isMostly(rising, ({ rise }) => rise.slows)
  );
}

/**
 * What may end by itself most likely does so in time, so a warning of it waits for the last moment at which it is of use:
 * half a minute before the end, or a fifth of a shorter run. Before that lie the delay of the alert, and up to a look at each
 * end of it: the first may come a look after this moment, and so may the last after the delay.
 */
function lastMoment(rising: readonly Placed[]): number {
  const seen = Math.max(...rising.map(({ course }) => course.seenSeconds));
  const look = Math.max(...rising.map(({ course }) => course.lookSeconds), 1);
  return Math.min(30, seen / 4) + sureSeconds + 2 * look;
}

function timeLeft(rising: readonly Placed[], roomBytes: number): TimeLeft {
  const [only] = rising;
  if (only !== undefined && rising.length === 1 && only.rise.steps !== null)
    return stepsLeft(only.rise.steps, roomBytes);
  // It runs out at the first spike after there is no more room for one.
  const gap = Math.max(...rising.map(({ course }) => course.spikeGapSeconds));
  const slowest = rising.reduce((sum, { rise }) => sum + rise.slopeRange[0], 0);
  const fastest = rising.reduce((sum, { rise }) => sum + rise.slopeRange[1], 0);
  const slope = slopeOf(rising);
  const longest = isMostly(rising, ({ rise }) => rise.slows)
    ? slowedSeconds(roomBytes / slowest, Math.max(...rising.map(({ course }) => course.seenSeconds)))
    : roomBytes / slowest;
  return { etaSeconds: roomBytes / slope + gap / 2, range: [roomBytes / fastest, longest + gap] };
}

/** The time that growth like a logarithm takes for what an even one brings in `evenSeconds`, `age` after its beginning. */
function slowedSeconds(evenSeconds: number, age: number): number {
  return age * Math.expm1(Math.min(evenSeconds / age, 5));
}

/** Few steps leave a doubt of how large and how far apart the next ones are: of one among twice as many as were seen. */
function stepsLeft(
  { stepBytes, stepRange, gapSeconds, lastStepSecondsAgo, begunBytes, count }: NonNullable<Rise['steps']>,
  roomBytes: number,
): TimeLeft {
  const after = (bytes: number): number => (Math.floor((roomBytes + begunBytes) / bytes) + 1) * gapSeconds;
  const doubt = 1 / (2 * count);
  return {
    etaSeconds: Math.max(0, after(stepBytes) - lastStepSecondsAgo),
    range: [
      Math.max(0, after(stepRange[1]) * (1 - doubt) - lastStepSecondsAgo),
      Math.max(0, after(stepRange[0]) * (1 + doubt) - lastStepSecondsAgo),
    ],
  };
}

function hasSteps({ rise }: Placed): boolean {
  return rise.steps !== null;
}

function slopeOf(rising: readonly Placed[]): number {
  return rising.reduce((sum, { rise }) => sum + rise.slopeBytesPerSecond, 0);
}

/** For how long they have risen, each counted by how much of the growth is its. */
function meanSince(rising: readonly Placed[]): number {
  return (
    rising.reduce((sum, { rise }) => sum + rise.sinceSeconds * rise.slopeBytesPerSecond, 0) / slopeOf(rising)
  );
}

function isMostly(rising: readonly Placed[], holds: (one: Placed) => boolean): boolean {
  return slopeOf(rising.filter(holds)) > slopeOf(rising) / 2;
}
