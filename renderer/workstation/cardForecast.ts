import { forecastSeverity } from '../../shared/alerts/rules/willFill';
import type { Severity } from '../../shared/alerts/severity';
import type { Forecast, Snapshot } from '../../shared/contract/snapshot';
import type { I18n } from '../state/i18n.svelte';

export interface CardForecast {
  readonly level: Severity;
  readonly text: string;
  /** Which job rises. */
  readonly title: string;
}

/** When a card will be full by the process that fills it first, as long as one rises; null while none does. */
export function cardForecast(gpuIndex: number, snapshot: Snapshot, i18n: I18n): CardForecast | null {
  const rising = snapshot.forecast.filter(
    (forecast) =>
      forecast.gpuIndex === gpuIndex &&
      forecast.state === 'growing' &&
      (forecast.slopeBytesPerSecond ?? 0) > 0,
  );
  const first = rising.reduce<Forecast | null>(
    (soonest, one) =>
      (one.etaSeconds ?? Infinity) < (soonest?.etaSeconds ?? Infinity) ? one : (soonest ?? one),
    null,
  );
  if (first === null) return null;
  return { level: forecastSeverity(first), text: textOf(first, i18n), title: titleOf(first, snapshot, i18n) };
}

function textOf(forecast: Forecast, i18n: I18n): string {
  const rate = { slope: forecast.slopeBytesPerSecond, since: forecast.risingForSeconds };
  return forecast.etaSeconds === null
    ? i18n.t('workstation.forecastLevelling', rate)
    : i18n.t('workstation.forecastFull', { ...rate, eta: rounded(forecast.etaSeconds) });
}

/** A minute more or less says nothing in two hours, and a number that jumps each second cannot be read. */
function rounded(seconds: number): number {
  const step = seconds < 60 ? 5 : seconds < 600 ? 10 : 60;
  return Math.max(step, Math.round(seconds / step) * step);
}

function titleOf({ pid }: Forecast, { jobs }: Snapshot, i18n: I18n): string {
  const job = jobs.find(({ members }) => members.some(({ process }) => process.pid === pid));
  return i18n.t('workstation.forecastBy', { job: job?.title ?? i18n.t('common.unknown') });
}
