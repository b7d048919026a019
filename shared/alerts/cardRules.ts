import { message, type Message } from '../i18n/message';
import type { Card, Forecast } from '../contract/snapshot';
import { fullness } from '../gpu/fullness';
import { alertSeconds, evidenceFactor, sureSeconds } from '../gpu/forecast/warning';
import type { Job } from '../jobs/types';
import { phaseOf, type Condition, type Rule, type RuleInput } from './condition';

function onCard(
  rule: Condition['rule'],
  card: Card,
  phase: Condition['phase'],
  severity: Condition['severity'],
  text: Message,
): Condition {
  return {
    rule,
    id: `${rule}/${card.uuid ?? card.index}`,
    phase,
    severity,
    gpuIndex: card.index,
    jobId: null,
    text,
  };
}

const nearlyFull: Rule = {
  rule: 'nearly-full',
  minimumSeconds: 5,
  conditions: ({ snapshot, thresholds }) =>
    snapshot.cards.flatMap((card) => {
      const { memoryUsedBytes: used, memoryTotalBytes: total } = card;
      const share = fullness(card);
      if (card.lost || share === null || used === null || total === null) return [];
      const percent = 100 * share;
      const phase = phaseOf(percent, thresholds.nearlyFullPercent);
      if (phase === null) return [];
      const text = message('alerts.nearlyFull', { card: card.index, percent, left: total - used });
      return [onCard('nearly-full', card, phase, 'warning', text)];
    }),
};

const hot: Rule = {
  rule: 'hot',
  minimumSeconds: 10,
  conditions: ({ snapshot, thresholds }) =>
    snapshot.cards.flatMap((card) => {
      if (card.lost || card.temperatureC === null) return [];
      const phase = phaseOf(card.temperatureC, thresholds.hotCelsius);
      if (phase === null) return [];
      const text = message('alerts.hot', { card: card.index, celsius: card.temperatureC });
      return [onCard('hot', card, phase, 'warning', text)];
    }),
};

/** The power limit holds every busy card down a little; only heat and the board's own brakes are worth an alert. */
const faultReasons: ReadonlySet<string> = new Set([
  'hw_slowdown',
  'sw_thermal_slowdown',
  'hw_thermal_slowdown',
  'hw_power_brake_slowdown',
]);

const throttled: Rule = {
  rule: 'throttled',
  minimumSeconds: 30,
  conditions: ({ snapshot }) =>
    snapshot.cards.flatMap((card) => {
      const reason = card.throttleReasons.find((name) => faultReasons.has(name));
      if (card.lost || reason === undefined) return [];
      const text = reason.includes('power')
        ? message('alerts.throttledByPower', { card: card.index })
        : message('alerts.throttledByHeat', { card: card.index });
      return [onCard('throttled', card, 'on', 'warning', text)];
    }),
};

const cardLost: Rule = {
  rule: 'card-lost',
  minimumSeconds: 0,
  conditions: ({ snapshot }) =>
    snapshot.cards
      .filter(({ lost }) => lost)
      .map((card) =>
        onCard('card-lost', card, 'on', 'critical', message('alerts.cardLost', { card: card.index })),
      ),
};

const eccErrors: Rule = {
  rule: 'ecc-errors',
  minimumSeconds: 0,
  conditions: ({ snapshot }) =>
    snapshot.cards.flatMap((card) => {
      const count = card.eccUncorrectedErrors ?? 0;
      if (count === 0) return [];
      const text = message('alerts.eccErrors', { card: card.index, count });
      return [onCard('ecc-errors', card, 'on', 'critical', text)];
    }),
};

/**
 * A level beyond the time from which the forecast itself calls a rise alarming asks for more of the rise: it must outlast what
 * loading takes.
 */
const farAheadRiseSeconds = 90;

function isSoon(forecast: Forecast, etaSeconds: number, levelSeconds: number): boolean {
  if (etaSeconds > levelSeconds) return false;
  const rising = forecast.risingForSeconds ?? 0;
  return (
    forecast.willFill ||
    (!forecast.mayBeLoading && rising >= farAheadRiseSeconds && etaSeconds <= evidenceFactor * rising)
  );
}

const willFill: Rule = {
  rule: 'will-fill',
  minimumSeconds: sureSeconds,
  conditions: ({ snapshot, thresholds }: RuleInput) => {
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
      const leak = !soon && forecast.willFill && forecast.etaSeconds > alertSeconds;
      const values = {
        card: forecast.gpuIndex,
        job: job?.title ?? null,
        eta: forecast.etaSeconds,
        slope: forecast.slopeBytesPerSecond,
        since: forecast.risingForSeconds,
      };
      return [
        {
          rule: 'will-fill',
          id: `will-fill/${forecast.gpuIndex}/${forecast.pid ?? 'card'}`,
          phase: soon || leak ? 'on' : 'hold',
          severity: leak ? 'warning' : 'critical',
          gpuIndex: forecast.gpuIndex,
          jobId: job?.id ?? null,
          text: leak ? message('alerts.leak', values) : message('alerts.willFill', values),
        },
      ];
    });
  },
};

function jobByPid(jobs: readonly Job[]): ReadonlyMap<number, Job> {
  const byPid = new Map<number, Job>();
  for (const job of jobs)
    for (const { process } of job.members) if (!byPid.has(process.pid)) byPid.set(process.pid, job);
  return byPid;
}

export const cardRules: readonly Rule[] = [nearlyFull, willFill, hot, throttled, cardLost, eccErrors];
