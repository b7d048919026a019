import type { Forecast } from '../../contract/snapshot';
import { alertSeconds, evidenceFactor, sureSeconds } from '../../gpu/forecast/warning';
import { message } from '../../i18n/message';
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

export const willFill: Rule<'will-fill'> = {
  name: 'will-fill',
  title: message('alerts.ruleWillFill'),
  severity: 'critical',
  minimumSeconds: sureSeconds,
  conditions: ({ snapshot, thresholds }) => {
    const growing = snapshot.forecast.filter(
      ({ state, etaSeconds }) => state === 'growing' && etaSeconds !== null,
    );
    const jobs = growing.length === 0 ? null : jobByPid(snapshot.jobs);
    return growing.flatMap((forecast): readonly Condition[] => {
      if (forecast.etaSeconds === null) return [];
      const card = snapshot.cards.find(({ index }) => index === forecast.gpuIndex);
      if (card === undefined) return [];
      const job = forecast.pid === null ? undefined : jobs?.get(forecast.pid);
      const soon = isSoon(forecast, forecast.etaSeconds, thresholds.willFillSeconds);
      const leak = !soon && forecastSeverity(forecast) === leakSeverity;
      const values = {
        card: forecast.gpuIndex,
        job: job?.title ?? null,
        eta: forecast.etaSeconds,
        slope: forecast.slopeBytesPerSecond,
        since: forecast.risingForSeconds,
      };
      return [
        {
          subject: `${forecast.gpuIndex}/${forecast.pid ?? 'card'}`,
          phase: soon || leak ? 'on' : 'hold',
          ...(leak ? { severity: leakSeverity } : {}),
          gpuIndex: forecast.gpuIndex,
          jobId: job?.id ?? null,
          jobTitle: job?.title ?? null,
          text: leak ? message('alerts.leak', values) : message('alerts.willFill', values),
        },
      ];
    });
  },
};

/** How urgent a rise is by itself, in the row of its card as in the alerts: no more than news where it may end by itself. */
export function forecastSeverity({
  willFill: fills,
  etaSeconds,
}: Pick<Forecast, 'willFill' | 'etaSeconds'>): Severity {
  if (!fills) return 'info';
  return (etaSeconds ?? Infinity) <= alertSeconds ? willFill.severity : leakSeverity;
}

function isSoon(forecast: Forecast, etaSeconds: number, levelSeconds: number): boolean {
  if (etaSeconds > levelSeconds) return false;
  const rising = forecast.risingForSeconds ?? 0;
  return (
    forecast.willFill ||
    (!forecast.mayBeLoading && rising >= farAheadRiseSeconds && etaSeconds <= evidenceFactor * rising)
  );
}

function jobByPid(jobs: readonly Job[]): ReadonlyMap<number, Job> {
  const byPid = new Map<number, Job>();
  for (const job of jobs)
    for (const { process } of job.members) if (!byPid.has(process.pid)) byPid.set(process.pid, job);
  return byPid;
}
