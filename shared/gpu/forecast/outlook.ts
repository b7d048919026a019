import { MiB } from '../../units';
import { longestEvenRise, type EvenRise } from './evenRise';
import { risingPressure } from './pressure';
import { highWater, indexAt, neverGivenBack, type MemorySample } from './series';
import { steppedRise, type SteppedRise } from './steps';

type OutlookState = 'steady' | 'growing' | 'spiky' | 'unknown';

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
/** A rise must have been seen this long before it is worth an alert. */
const leastRiseSeconds = 30;
/** And no further ahead than this many times what was seen: one flank of a saw-tooth looks like a leak for a while. */
const evidenceFactor = 1.5;
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
  const even = longestEvenRise(history, floor, highWater(history), Math.max(0, capacityBytes - last.bytes));
  if (even !== null && even.slopeBytesPerSecond > 0) return evenOutlook(history, even, last, capacityBytes);
  const stepped = steppedRise(history, floor, capacityBytes);
  if (stepped !== null) return steppedOutlook(stepped, last, capacityBytes);
  const pressure = risingPressure(history, capacityBytes);
  if (pressure !== null)
    return {
      state: 'growing',
      slopeBytesPerSecond: pressure.slopeBytesPerSecond,
      etaSeconds: pressure.etaSeconds,
      risingForSeconds: pressure.sinceSeconds,
      willFill: pressure.etaSeconds <= alertSeconds,
    };
  return { ...unknown, state: restingState(history, last.t) };
}

function evenOutlook(
  history: readonly MemorySample[],
  rise: EvenRise,
  last: MemorySample,
  capacityBytes: number,
): Outlook {
  const roomBytes = Math.max(0, capacityBytes - last.bytes);
  const etaSeconds = roomBytes / rise.slopeBytesPerSecond;
  const seenLongEnough =
    rise.sinceSeconds >= leastRiseSeconds && etaSeconds <= evidenceFactor * rise.sinceSeconds;
  const soon = etaSeconds <= alertSeconds && seenLongEnough;
  const loading = rise.sinceSeconds < loadingSeconds && looksLikeLoading(history, rise, last.t);
  return {
    state: 'growing',
    slopeBytesPerSecond: rise.slopeBytesPerSecond,
    etaSeconds: rise.levelsOff ? null : etaSeconds,
    risingForSeconds: rise.sinceSeconds,
    willFill: !rise.levelsOff && !loading && (soon || rise.sinceSeconds >= leakSeconds),
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

/** Whether nothing before the rise was taken faster than the rise itself: weights on their way to the card. */
function looksLikeLoading(history: readonly MemorySample[], rise: EvenRise, now: number): boolean {
  const first = history[0];
  if (first === undefined) return false;
  if (hasStood(history, first.bytes)) return false;
  const begin = now - rise.sinceSeconds;
  const startLevel = history[indexAt(history, begin)]?.bytes ?? first.bytes;
  return startLevel - first.bytes <= 1.2 * rise.slopeBytesPerSecond * (begin - first.t) + 128 * MiB;
}

/** A load goes on until it is done; a job that held its level this long above the bare context has begun to work. */
const standsSeconds = 10;

function hasStood(history: readonly MemorySample[], contextBytes: number): boolean {
  let since = 0;
  for (const [i, { t, bytes }] of history.entries()) {
    const level = history[since]?.bytes ?? 0;
    if (Math.abs(bytes - level) > 32 * MiB) since = i;
    else if (bytes - contextBytes > 256 * MiB && t - (history[since]?.t ?? t) >= standsSeconds) return true;
  }
  return false;
}

function restingState(history: readonly MemorySample[], now: number): OutlookState {
  const recent = history.filter(({ t }) => now - t <= 60).map(({ bytes }) => bytes);
  const most = Math.max(...recent);
  return most - Math.min(...recent) <= Math.max(32 * MiB, most / 100) ? 'steady' : 'spiky';
}
