import { MiB } from '../../units';
import { longestEvenRise, type EvenRise } from './evenRise';
import { highWater, neverGivenBack, type MemorySample } from './series';
import { steppedRise, type SteppedRise } from './steps';

export type OutlookState = 'steady' | 'growing' | 'spiky' | 'unknown';

/** What the memory of one process is about to do. `willFill` is the alert; `etaSeconds` is shown as long as it rises. */
export interface Outlook {
  readonly state: OutlookState;
  readonly slopeBytesPerSecond: number | null;
  readonly etaSeconds: number | null;
  readonly risingForSeconds: number | null;
  readonly willFill: boolean;
}

/** Below this much history nothing is said. */
const leastHistorySeconds = 20;
/** Less time left than this is worth an alert. */
const alertSeconds = 120;
/** A rise this long and even is a leak, however far the end is. */
const leakSeconds = 300;
/** A rise that began at the bare CUDA context is weights being loaded until it has outlasted any load. */
const loadingSeconds = 90;

const unknown: Outlook = {
  state: 'unknown',
  slopeBytesPerSecond: null,
  etaSeconds: null,
  risingForSeconds: null,
  willFill: false,
};

/**
 * Judges one process by its own history (ascending, from its start) against what it may take, `capacityBytes`: what it
 * holds plus what is free for it.
 */
export function outlook(history: readonly MemorySample[], capacityBytes: number): Outlook {
  const first = history[0];
  const last = history[history.length - 1];
  if (first === undefined || last === undefined || last.t - first.t < leastHistorySeconds) return unknown;
  const floor = neverGivenBack(history);
  const even = longestEvenRise(history, floor, highWater(history));
  if (even !== null && even.slopeBytesPerSecond > 0) return evenOutlook(history, even, last, capacityBytes);
  const stepped = steppedRise(history, floor, capacityBytes);
  if (stepped !== null) return steppedOutlook(stepped, last, capacityBytes);
  return { ...unknown, state: restingState(history, last.t) };
}

function evenOutlook(
  history: readonly MemorySample[],
  rise: EvenRise,
  last: MemorySample,
  capacityBytes: number,
): Outlook {
  const etaSeconds = Math.max(0, capacityBytes - last.bytes) / rise.slopeBytesPerSecond;
  const trusted = rise.sinceSeconds >= loadingSeconds || !looksLikeLoading(history, rise, last.t);
  return {
    state: 'growing',
    slopeBytesPerSecond: rise.slopeBytesPerSecond,
    etaSeconds,
    risingForSeconds: rise.sinceSeconds,
    willFill: trusted && (etaSeconds <= alertSeconds || rise.sinceSeconds >= leakSeconds),
  };
}

function steppedOutlook(rise: SteppedRise, last: MemorySample, capacityBytes: number): Outlook {
  const stepsThatFit = Math.floor(Math.max(0, capacityBytes - last.bytes) / rise.stepBytes);
  const etaSeconds = Math.max(0, (stepsThatFit + 1) * rise.gapSeconds - rise.lastStepSecondsAgo);
  return {
    state: 'growing',
    slopeBytesPerSecond: rise.stepBytes / rise.gapSeconds,
    etaSeconds,
    risingForSeconds: rise.sinceSeconds,
    willFill: etaSeconds <= alertSeconds,
  };
}

/** Whether the line of the rise, followed back, begins at the process's first level: nothing but a load does that. */
function looksLikeLoading(history: readonly MemorySample[], rise: EvenRise, now: number): boolean {
  const first = history[0];
  if (first === undefined) return false;
  const context = history.find(({ t }) => t - first.t >= 2) ?? first;
  const before = history.filter(({ t }) => t <= now - rise.sinceSeconds);
  const startLevel = before[before.length - 1]?.bytes ?? first.bytes;
  const secondsToBase = (startLevel - context.bytes) / rise.slopeBytesPerSecond;
  return secondsToBase <= now - rise.sinceSeconds - first.t + 1 && startLevel - context.bytes < 128 * MiB;
}

function restingState(history: readonly MemorySample[], now: number): OutlookState {
  const recent = history.filter(({ t }) => now - t <= 60).map(({ bytes }) => bytes);
  const most = Math.max(...recent);
  return most - Math.min(...recent) <= Math.max(32 * MiB, most / 100) ? 'steady' : 'spiky';
}
