import { MiB } from '../../units';
import { curvesOf, type Curves } from './curves';
import { longestEvenRise, type EvenRise } from './evenRise';
import { loadingDoubt, type LoadingDoubt } from './loading';
import { wasFreedBefore } from './phases';
import { risingPressure, type RisingPressure } from './pressure';
import { indexAt, lookSeconds, type UsedBytesSeries } from './series';
import { spikeSince, withoutOpenSpike } from './spikes';
import { steppedRise, type SteppedRise } from './steps';

export type MemoryState = 'steady' | 'growing' | 'spiky' | 'unknown';

/** How the memory of one process rises. Rates are bytes a second, times seconds. */
export interface Rise {
  readonly slopeBytesPerSecond: number;
  /** The slowest and the fastest slope that what was seen allows. */
  readonly slopeRange: readonly [number, number];
  readonly sinceSeconds: number;
  /** Whether it was seen for long enough to be worth an alert. */
  readonly isEvident: boolean;
  /** It ends within the room there is, going on as it slows down. */
  readonly levelsOff: boolean;
  /** It slows down as growth does that comes to rest. */
  readonly slows: boolean;
  readonly loading: LoadingDoubt;
  /** One like it was given back before. */
  readonly isPhase: boolean;
  /** Its steps, where it has some. */
  readonly steps: Pick<
    SteppedRise,
    'stepBytes' | 'stepRange' | 'gapSeconds' | 'lastStepSecondsAgo' | 'begunBytes' | 'count'
  > | null;
}

/** What the memory of one process does: how it rises, and the most that it takes beside that. */
export interface Course {
  readonly state: MemoryState;
  readonly levelBytes: number;
  /** What stays of it, and on top of that the spike that comes back: without further growth the process takes no more. */
  readonly topBytes: number;
  /** How far it once stood above that, which may come back. */
  readonly onceAboveBytes: number;
  /** Seconds from one such spike to the next; 0 where none comes back. */
  readonly spikeGapSeconds: number;
  readonly rise: Rise | null;
  /** Seconds for which the process has been seen, and between two looks at it. */
  readonly seenSeconds: number;
  readonly lookSeconds: number;
}

/** Below this much history nothing is said: a rise is looked at in four quarters, which need a few readings each. */
const leastHistorySeconds = 20;
/**
 * What comes in the first seconds of a process is loading, and no evidence of a rise that seems to have begun then. Assumed: making a
 * context and building a small model take no longer.
 */
const startUpSeconds = 6;
/**
 * A rise must have been seen this long before it is worth an alert: an evaluation or a checkpoint takes less, and ends. Assumed; a card
 * that is filled faster is full before an alert is of use.
 */
const leastRiseSeconds = 36;
/** The spikes of a process that does not grow are looked for in this time. */
const recentSeconds = 240;

/**
 * Judges one process by its own series (from its start) against what it may take, `capacityBytes`: what it holds plus what is free for
 * it. `computes`: whether its card was seen computing for it; null where that is not known.
 */
export function courseOf(series: UsedBytesSeries, capacityBytes: number, computes: boolean | null): Course {
  const last = series.time.length - 1;
  const levelBytes = series.bytes[last] ?? 0;
  const seenSeconds = (series.time[last] ?? 0) - (series.time[0] ?? 0);
  const look = lookSeconds(series);
  const resting: Course = {
    state: 'unknown',
    levelBytes,
    topBytes: levelBytes,
    onceAboveBytes: 0,
    spikeGapSeconds: 0,
    rise: null,
    seenSeconds,
    lookSeconds: look,
  };
  if (last < 0 || seenSeconds < leastHistorySeconds) return resting;
  const pressure = risingPressure(series, capacityBytes);
  if (pressure !== null)
    return {
      ...resting,
      state: 'growing',
      topBytes: Math.max(0, capacityBytes - pressure.etaSeconds * pressure.slopeBytesPerSecond),
      rise: pressureRise(pressure),
    };
  const curves = withoutOpenSpike(curvesOf(series), look);
  const found = evenOrStepped(curves, capacityBytes, look, computes);
  if (found !== null) return { ...resting, state: 'growing', ...found };
  const spike = spikeSince(curves, indexAt(curves.time, (curves.time[last] ?? 0) - recentSeconds));
  return {
    ...resting,
    state: restingState(series),
    topBytes: typeof spike?.gapSeconds === 'number' ? highestSince(series, recentSeconds) : levelBytes,
  };
}

function evenOrStepped(
  curves: Curves,
  capacityBytes: number,
  look: number,
  computes: boolean | null,
): Pick<Course, 'rise' | 'topBytes' | 'onceAboveBytes' | 'spikeGapSeconds'> | null {
  const end = curves.time.length - 1;
  const floorBytes = curves.floor[end] ?? 0;
  const roomBytes = Math.max(0, capacityBytes - floorBytes);
  const stepped = steppedRise(curves, capacityBytes, look);
  const even = stepped === null ? longestEvenRise(curves, roomBytes, look) : null;
  const begin = stepped?.begin ?? even?.begin;
  if (begin === undefined || (even !== null && even.slopeBytesPerSecond <= 0)) return null;
  const spike = spikeSince(curves, begin);
  const returns = spike !== null && spike.gapSeconds !== null;
  const rise =
    stepped === null
      ? even === null
        ? null
        : evenRise(curves, even, computes)
      : stepsRise(curves, stepped, computes);
  return {
    rise,
    topBytes: floorBytes + (returns ? spike.bytes : 0),
    onceAboveBytes: returns ? 0 : (spike?.bytes ?? 0),
    spikeGapSeconds: spike?.gapSeconds ?? 0,
  };
}

function evenRise(curves: Curves, even: EvenRise, computes: boolean | null): Rise {
  const { sinceSeconds, slopeBytesPerSecond, slopeRange, levelsOff, slows, begin } = even;
  const seenSeconds = (curves.time[curves.time.length - 1] ?? 0) - (curves.time[0] ?? 0);
  return {
    slopeBytesPerSecond,
    slopeRange,
    sinceSeconds,
    isEvident: Math.min(sinceSeconds, seenSeconds - startUpSeconds) >= leastRiseSeconds,
    levelsOff,
    slows,
    loading: loadingDoubt(curves, { sinceSeconds, slopeBytesPerSecond, hasSteps: false }, computes),
    isPhase: wasFreedBefore(curves, begin),
    steps: null,
  };
}

function stepsRise(curves: Curves, stepped: SteppedRise, computes: boolean | null): Rise {
  const { sinceSeconds, stepBytes, gapSeconds, stepRange, begin } = stepped;
  const slopeBytesPerSecond = stepBytes / gapSeconds;
  return {
    slopeBytesPerSecond,
    slopeRange: [stepRange[0] / gapSeconds, stepRange[1] / gapSeconds],
    sinceSeconds,
    isEvident: true,
    levelsOff: false,
    slows: false,
    loading: loadingDoubt(curves, { sinceSeconds, slopeBytesPerSecond, hasSteps: true }, computes),
    isPhase: wasFreedBefore(curves, begin),
    steps: stepped,
  };
}

function pressureRise({ slopeBytesPerSecond, slopeRange, sinceSeconds }: RisingPressure): Rise {
  return {
    slopeBytesPerSecond,
    slopeRange,
    sinceSeconds,
    isEvident: true,
    levelsOff: false,
    slows: false,
    loading: 'no',
    isPhase: false,
    steps: null,
  };
}

function highestSince({ time, bytes }: UsedBytesSeries, seconds: number): number {
  const now = time[time.length - 1] ?? 0;
  let most = 0;
  for (let i = time.length - 1; i >= 0 && now - (time[i] ?? 0) <= seconds; i -= 1)
    most = Math.max(most, bytes[i] ?? 0);
  return most;
}

function restingState({ time, bytes }: UsedBytesSeries): MemoryState {
  const now = time[time.length - 1] ?? 0;
  let most = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let i = time.length - 1; i >= 0 && now - (time[i] ?? 0) <= 60; i -= 1) {
    most = Math.max(most, bytes[i] ?? 0);
    least = Math.min(least, bytes[i] ?? 0);
  }
  return most - least <= Math.max(32 * MiB, most / 100) ? 'steady' : 'spiky';
}
