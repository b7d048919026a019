import { message, type Message } from '../i18n/message';
import type { Card, Forecast } from '../contract/snapshot';
import { fullness } from '../gpu/fullness';
import { alertSeconds, evidenceFactor, isOneTime } from '../gpu/forecast/warning';
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

function isFarAhead({ mayBeLoading, risingForSeconds }: Forecast, etaSeconds: number): boolean {
  const rising = risingForSeconds ?? 0;
  return !mayBeLoading && rising >= farAheadRiseSeconds && etaSeconds <= evidenceFactor * rising;
}

/** The forecast itself waits until it is sure, and announces each growth once. */
const willFill: Rule = {
  rule: 'will-fill',
  minimumSeconds: 0,
  conditions: ({ snapshot, thresholds }: RuleInput) =>
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
          rule: 'will-fill',
          id: `will-fill/${gpuIndex}/${pids.length === 1 ? pids[0] : 'card'}${number}`,
          phase: soon || isLeak ? 'on' : 'hold',
          severity: soon ? 'critical' : 'warning',
          gpuIndex,
          jobId: jobs[0]?.id ?? null,
          text: textOf(forecast, etaSeconds, pids.length === 0 ? null : jobs, !soon && isLeak),
        },
      ];
    }),
};

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

export const cardRules: readonly Rule[] = [nearlyFull, willFill, hot, throttled, cardLost, eccErrors];
