import { replay } from '../../../../../shared/gpu/forecast/replay';
import type { GeneratedSeries } from './generated';

/** How the forecast judged one series whose end is known. */
interface Judged {
  readonly series: GeneratedSeries;
  readonly verdict: 'in time' | 'late' | 'silent';
  readonly alerts: number;
  /** Of each alert of a series that ran out: whether its time left was within 1.7 of the truth, or its span held it. */
  readonly timesHeld: readonly boolean[];
}

/** Truth against verdict, over many series. */
export interface Confusion {
  readonly inTime: number;
  readonly late: number;
  readonly missed: number;
  readonly falseAlarms: number;
  readonly silent: number;
  /** Series that ran out and were announced more than twice. */
  readonly repeated: number;
  /** Of the alerts of series that ran out, the share whose time left held. */
  readonly timesHeldShare: number;
  readonly precision: number;
  readonly recall: number;
  /** The kinds that were judged wrong, with how often. */
  readonly wrong: readonly string[];
}

/** An alert is in time half a minute before the end, or a fifth of a shorter run. */
const usefulSeconds = 30;
const factor = 1.7;
/** Looks come a second apart or more, so that the end itself is known no better. */
const slackSeconds = 1.5;

function judge(series: GeneratedSeries): Judged {
  const alerts = replay(series.samples, series.capacityBytes).alerts.filter(
    ({ t }) => t >= series.knowableFrom,
  );
  const { endsAt } = series;
  if (endsAt === null)
    return {
      series,
      verdict: alerts.length > 0 ? 'in time' : 'silent',
      alerts: alerts.length,
      timesHeld: [],
    };
  const needed = Math.min(usefulSeconds, endsAt / 5);
  const inTime = alerts.some(({ t }) => endsAt - t >= needed);
  return {
    series,
    verdict: inTime ? 'in time' : alerts.length > 0 ? 'late' : 'silent',
    alerts: alerts.length,
    timesHeld: alerts.map(({ t, etaSeconds, etaRangeSeconds: [least, most] }) => {
      const left = endsAt - t;
      const isNear = etaSeconds <= factor * left + slackSeconds && left <= factor * etaSeconds + slackSeconds;
      return isNear || (least - slackSeconds <= left && left <= most + slackSeconds);
    }),
  };
}

/** Judges series; those that grow but were not watched to their end are left out, as nobody knows what is right of them. */
export function confusionOf(all: readonly GeneratedSeries[]): Confusion {
  const judged = all.filter(({ grows, endsAt }) => !grows || endsAt !== null).map(judge);
  const count = (grows: boolean, verdict: Judged['verdict']): number =>
    judged.filter((one) => one.series.grows === grows && one.verdict === verdict).length;
  const [inTime, late, missed] = [count(true, 'in time'), count(true, 'late'), count(true, 'silent')];
  const falseAlarms = count(false, 'in time');
  const times = judged.flatMap(({ timesHeld }) => timesHeld);
  const isWrong = ({ series, verdict }: Judged): boolean =>
    series.grows ? verdict !== 'in time' : verdict !== 'silent';
  return {
    inTime,
    late,
    missed,
    falseAlarms,
    silent: count(false, 'silent'),
    repeated: judged.filter(({ series, alerts }) => series.grows && alerts > 2).length,
    timesHeldShare: times.filter((held) => held).length / Math.max(1, times.length),
    precision: (inTime + late) / Math.max(1, inTime + late + falseAlarms),
    recall: inTime / Math.max(1, inTime + late + missed),
    wrong: countsByKind(judged.filter(isWrong)),
  };
}

function countsByKind(judged: readonly Judged[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { series } of judged) counts.set(series.kind, (counts.get(series.kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} x ${kind}`);
}

/** The table as text, for the tests' output. */
export function confusionTable(what: string, table: Confusion): string {
  const row = (truth: string, cells: readonly (number | string)[]): string =>
    [truth.padEnd(12), ...cells.map((cell) => String(cell).padStart(9))].join('');
  return [
    what,
    row('', ['in time', 'late', 'silent']),
    row('runs out', [table.inTime, table.late, table.missed]),
    row('never does', [table.falseAlarms, '', table.silent]),
    `precision ${table.precision.toFixed(3)}, recall ${table.recall.toFixed(3)}, times held ${table.timesHeldShare.toFixed(3)}`,
    ...(table.wrong.length === 0 ? [] : [`wrong: ${table.wrong.join(', ')}`]),
  ].join('\n');
}
