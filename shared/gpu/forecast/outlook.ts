import { MiB } from '../../units';
import { curvesOf, type Curves } from './curves';
import { longestEvenRise, type EvenRise } from './evenRise';
import { mayBeLoading } from './loading';
import { risingPressure, type RisingPressure } from './pressure';
import type { MemorySeries } from './series';
import { steppedRise, type SteppedRise } from './steps';
import { alertSeconds, evidenceFactor, sureSeconds } from './warning';

type OutlookState = 'steady' | 'growing' | 'spiky' | 'unknown';

/** What the memory of one process is about to do. `willFill` is the alert; `etaSeconds` is shown as long as it rises. */
export interface Outlook {
  readonly state: OutlookState;
  readonly slopeBytesPerSecond: number | null;
  readonly etaSeconds: number | null;
  readonly risingForSeconds: number | null;
  readonly willFill: boolean;
  /** Whether the rise may be weights on their way to the card, which stops by itself. */
  readonly mayBeLoading: boolean;
}

/** Below this much history nothing is said: a rise is looked at in four quarters, which need a few readings each. */
const leastHistorySeconds = 20;
/**
 * What comes in the first seconds of a process is loading, and no evidence of a rise that seems to have begun then. Assumed: making a
 * context and building a small model take no longer.
 */
const startUpSeconds = 6;
/** A rise must have been seen this long before it is worth an alert: an evaluation or a checkpoint takes less, and ends. Assumed. */
const leastRiseSeconds = 30;
/** Looks at a process come once a second. */
const lookSeconds = 1;
/**
 * A rise this long is a leak, however far the end is, if it goes on as it began: its second half brings at least this part of what its
 * first did. Assumed: an allocator that warms up has slowed down by then.
 */
const leak = { leastSeconds: 300, leastLastingShare: 0.8 } as const;

const unknown: Outlook = {
  state: 'unknown',
  slopeBytesPerSecond: null,
  etaSeconds: null,
  risingForSeconds: null,
  willFill: false,
  mayBeLoading: false,
};

/**
 * Judges one process by its own series (from its start) against what it may take, `capacityBytes`: what it
 * holds plus what is free for it. `computes`: whether its card was seen computing for it, as it does not while weights are
 * loaded (then such a rise is not warned of at all); null where that is not known.
 */
export function outlook(
  series: MemorySeries,
  capacityBytes: number,
  computes: boolean | null = null,
): Outlook {
  const last = series.time.length - 1;
  if (last < 0 || (series.time[last] ?? 0) - (series.time[0] ?? 0) < leastHistorySeconds) return unknown;
  const roomBytes = Math.max(0, capacityBytes - (series.bytes[last] ?? 0));
  const curves = curvesOf(series);
  const pressure = risingPressure(series, capacityBytes);
  if (pressure !== null) return pressureOutlook(pressure);
  const stepped = steppedRise(curves, capacityBytes);
  if (stepped !== null) return steppedOutlook(stepped, roomBytes);
  const even = longestEvenRise(curves, roomBytes);
  if (even !== null && even.slopeBytesPerSecond > 0)
    return evenOutlook(curves, even, capacityBytes, computes);
  return { ...unknown, state: restingState(series) };
}

function evenOutlook(
  curves: Curves,
  rise: EvenRise,
  capacityBytes: number,
  computes: boolean | null,
): Outlook {
  const { sinceSeconds, slopeBytesPerSecond, levelsOff } = rise;
  const end = curves.time.length - 1;
  const roomBytes = Math.max(0, capacityBytes - (curves.floor[end] ?? 0));
  const etaSeconds = roomBytes / slopeBytesPerSecond;
  const seenSeconds = (curves.time[end] ?? 0) - (curves.time[0] ?? 0);
  const soon =
    etaSeconds <= alertSeconds &&
    Math.min(sinceSeconds, seenSeconds - startUpSeconds) >= leastRiseSeconds &&
    etaSeconds <= evidenceFactor * sinceSeconds;
  const isLeak = sinceSeconds >= leak.leastSeconds && rise.lastingShare >= leak.leastLastingShare;
  const loading = computes !== true && mayBeLoading(curves, sinceSeconds, slopeBytesPerSecond);
  const mayWait = loading && (computes === false || etaSeconds > lastMoment(seenSeconds));
  return {
    state: 'growing',
    slopeBytesPerSecond,
    etaSeconds: levelsOff ? null : etaSeconds,
    risingForSeconds: sinceSeconds,
    willFill: !levelsOff && !mayWait && (soon || isLeak),
    mayBeLoading: loading,
  };
}

/**
 * What may be weights being loaded most likely stops in time, so a warning of it waits for the last moment at which it is of use:
 * half a minute before the end, or a fifth of a shorter run. Before that lie the delay of the alert, and up to a look at each
 * end of it: the first may come a second after this moment, and so may the last after the delay.
 */
function lastMoment(seenSeconds: number): number {
  return Math.min(30, seenSeconds / 4) + sureSeconds + 2 * lookSeconds;
}

function pressureOutlook({ slopeBytesPerSecond, etaSeconds, sinceSeconds }: RisingPressure): Outlook {
  return {
    state: 'growing',
    slopeBytesPerSecond,
    etaSeconds,
    risingForSeconds: sinceSeconds,
    willFill: etaSeconds <= alertSeconds && etaSeconds <= evidenceFactor * sinceSeconds,
    mayBeLoading: false,
  };
}

function steppedOutlook(rise: SteppedRise, roomBytes: number): Outlook {
  const stepsThatFit = Math.floor((roomBytes + rise.begunBytes) / rise.stepBytes);
  const etaSeconds = Math.max(0, (stepsThatFit + 1) * rise.gapSeconds - rise.lastStepSecondsAgo);
  return {
    state: 'growing',
    slopeBytesPerSecond: rise.stepBytes / rise.gapSeconds,
    etaSeconds,
    risingForSeconds: rise.sinceSeconds,
    willFill: etaSeconds <= alertSeconds,
    mayBeLoading: false,
  };
}

function restingState({ time, bytes }: MemorySeries): OutlookState {
  const now = time[time.length - 1] ?? 0;
  let most = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let i = time.length - 1; i >= 0 && now - (time[i] ?? 0) <= 60; i -= 1) {
    most = Math.max(most, bytes[i] ?? 0);
    least = Math.min(least, bytes[i] ?? 0);
  }
  return most - least <= Math.max(32 * MiB, most / 100) ? 'steady' : 'spiky';
}
