import type { HistorySpan } from '../../shared/snapshot/history/history';
import { spans } from '../state/history.svelte';

/** How far back a chart reaches, and how far its labels lie apart; seconds. */
export interface TimeAxis {
  readonly seconds: number;
  readonly tickSeconds: number;
  /** The first reading (seconds since the epoch), where it is later than the range that was asked for. */
  readonly since: number | null;
}

/** The lengths an axis may have below the one that was asked for. */
const steps: readonly Omit<TimeAxis, 'since'>[] = [
  { seconds: 300, tickSeconds: 60 },
  { seconds: 900, tickSeconds: 180 },
  { seconds: 3600, tickSeconds: 600 },
  { seconds: 3 * 3600, tickSeconds: 1800 },
  { seconds: 8 * 3600, tickSeconds: 3600 },
];

/**
 * The axis for a range: as long as asked where there are readings for most of it, and in the first minutes and hours
 * only as long as what is known, which would else be a sliver at the edge. It grows in steps, so that a curve stands
 * still between them.
 */
export function timeAxis(span: HistorySpan, firstTime: number | null, toTime: number): TimeAxis {
  const { seconds, tickSeconds } = spans[span];
  const known = firstTime === null ? null : toTime - firstTime;
  if (known === null || known >= seconds) return { seconds, tickSeconds, since: null };
  const step = steps.find((one) => one.seconds >= known);
  const shorter = step !== undefined && step.seconds < seconds ? step : { seconds, tickSeconds };
  return { ...shorter, since: span === 'fiveMinutes' ? null : firstTime };
}
