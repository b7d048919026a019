import type { Forecast } from '../../gpu/forecast/forecast';
import { alertSeconds, evidenceFactor, isOneTime } from '../../gpu/forecast/warning';
import { message, type Message } from '../../i18n/message';
import type { Job } from '../../jobs/types';
import type { Condition, Rule } from '../rule';
import type { Severity } from '../severity';

/**
 * A level beyond the time from which the forecast itself calls a rise alarming asks for more of the rise: it must outlast what
 * loading takes.
 */
const farAheadRiseSeconds = 90;

/** There is time to look into a leak, which fills its card in hours; a card that is full in two minutes has none. */
const leakSeverity: Severity = 'warning';

/** The forecast itself waits until it is sure, and announces each growth once. */
export const willFill: Rule<'will-fill'> = {
  name: 'will-fill',
  title: message('alerts.ruleWillFill'),
  severity: 'critical',
  minimumSeconds: 0,
  conditions: ({ snapshot, thresholds }) =>
    snapshot.forecast.flatMap((forecast): readonly Condition[] => {
      const { etaSeconds, announced, gpuIndex } = forecast;
      if (forecast.pid !== null || etaSeconds === null) return [];
      if (!snapshot.cards.some(({ index }) => index === gpuIndex)) return [];
      const pids = announced?.pids ?? forecast.growingPids;
      const jobs = jobsOf(snapshot.jobs, pids);
      const isLeak = announced !== null && announced.etaSeconds > alertSeconds;
      const soon =
        etaSeconds <= thresholds.willFillSeconds && (announced !== null || isFarAhead(forecast, etaSeconds));
      const number = announced === null || announced.number === 1 ? '' : `/${announced.number}`;
      return [
        {
          subject: `${gpuIndex}/${pids.length === 1 ? pids[0] : 'card'}${number}`,
          phase: soon || isLeak ? 'on' : 'hold',
          ...(soon ? {} : { severity: leakSeverity }),
          gpuIndex,
          jobId: jobs[0]?.id ?? null,
          jobTitle: jobs[0]?.title ?? null,
          text: textOf(forecast, etaSeconds, pids.length === 0 ? null : jobs, !soon && isLeak),
        },
      ];
    }),
};

/** How urgent a rise is by itself, in the row of its card as in the alerts: no more than news where it may end by itself. */
export function forecastSeverity({
  willFill: fills,
  etaSeconds,
}: Pick<Forecast, 'willFill' | 'etaSeconds'>): Severity {
  if (!fills) return 'info';
  return (etaSeconds ?? Infinity) <= alertSeconds ? willFill.severity : leakSeverity;
}

function isFarAhead({ mayBeLoading, risingForSeconds }: Forecast, etaSeconds: number): boolean {
  const rising = risingForSeconds ?? 0;
  return !mayBeLoading && rising >= farAheadRiseSeconds && etaSeconds <= evidenceFactor * rising;
}

function textOf(
  { gpuIndex, etaRangeSeconds, slopeBytesPerSecond: slope, risingForSeconds: since }: Forecast,
  eta: number,
  jobs: readonly Job[] | null,
  isLeak: boolean,
): Message {
  const [least, most] = etaRangeSeconds ?? [eta, eta];
  if (jobs === null) return message('alerts.willFillUnlisted', { card: gpuIndex, slope, least, most });
  const job = jobs.length === 0 ? null : jobs.map(({ title }) => title).join(', ');
  const known = { card: gpuIndex, job, slope };
  if (jobs.length > 1) return message('alerts.willFillTogether', { ...known, least, most });
  if (isOneTime([least, most]))
    return isLeak
      ? message('alerts.leak', { ...known, eta, since })
      : message('alerts.willFill', { ...known, eta });
  return isLeak
    ? message('alerts.leakBetween', { ...known, least, most, since })
    : message('alerts.willFillBetween', { ...known, least, most });
}

/** The jobs of these processes, in the order of the Snapshot. */
function jobsOf(jobs: readonly Job[], pids: readonly number[]): readonly Job[] {
  return pids.length === 0
    ? []
    : jobs.filter(({ members }) => members.some(({ process }) => pids.includes(process.pid)));
}
