import { forecastSeverity } from '../../shared/alerts/rules/willFill';
import type { Severity } from '../../shared/alerts/severity';
import type { Forecast } from '../../shared/gpu/forecast/forecast';
import type { Snapshot } from '../../shared/alerts/snapshot';
import { isOneTime } from '../../shared/gpu/forecast/warning';
import type { I18n } from '../state/i18n.svelte';

export interface CardForecast {
  readonly level: Severity;
  readonly text: string;
  /** Which job rises. */
  readonly title: string;
}

/** When a card will be full by all that grow on it, as long as something rises; null while nothing does. */
export function cardForecast(gpuIndex: number, snapshot: Snapshot, i18n: I18n): CardForecast | null {
  const rising = snapshot.forecast.find(
    ({ gpuIndex: index, pid, state }) => index === gpuIndex && pid === null && state === 'growing',
  );
  if (rising === undefined) return null;
  return {
    level: forecastSeverity(rising),
    text: textOf(rising, i18n),
    title: titleOf(rising, snapshot, i18n),
  };
}

function textOf(forecast: Forecast, i18n: I18n): string {
  const rate = { slope: forecast.slopeBytesPerSecond, since: forecast.risingForSeconds };
  if (forecast.etaSeconds === null) return i18n.t('workstation.forecastLevelling', rate);
  const range = forecast.etaRangeSeconds;
  if (range === null || isOneTime(range))
    return i18n.t('workstation.forecastFull', { ...rate, eta: rounded(forecast.etaSeconds) });
  const [least, most] = range;
  return i18n.t('workstation.forecastBetween', { ...rate, least: rounded(least), most: rounded(most) });
}

/** A minute more or less says nothing in two hours, and a number that jumps each second cannot be read. */
function rounded(seconds: number): number {
  const step = seconds < 60 ? 5 : seconds < 600 ? 10 : 60;
  return Math.max(step, Math.round(seconds / step) * step);
}

function titleOf({ growingPids }: Forecast, { jobs }: Snapshot, i18n: I18n): string {
  const growing = jobs.filter(({ members }) =>
    members.some(({ process }) => growingPids.includes(process.pid)),
  );
  const titles = growing.map(({ title }) => title).join(', ');
  return i18n.t('workstation.forecastBy', { job: titles === '' ? i18n.t('common.unknown') : titles });
}
