/** `npm run accuracy -- published`: how near the estimates come to figures that other people published. */
import { quantile, summariseErrors } from '../statistics';
import { alternatives } from './alternatives';
import { playPublished, type PublishedResult } from './play';
import type { PublishedQuestion } from './rows';

/** What a set of results comes to, as shares; null where there is nothing to judge. */
export interface PublishedSummary {
  readonly figures: number;
  readonly median: number;
  readonly nineteenOfTwenty: number;
  readonly worst: number;
  /** Figures that the interval holds, and its median width. */
  readonly held: number | null;
  readonly width: number;
  /** Runs of which it was published whether they fitted, and those of which the answer says the same. */
  readonly verdicts: number;
  readonly right: number;
}

export function summarisePublished(results: readonly PublishedResult[]): PublishedSummary {
  const { median, nineteenOfTwenty, rows, worst } = summariseErrors(
    results.flatMap(({ error }) => error ?? []),
  );
  const held = results.flatMap(({ holds }) => holds ?? []);
  const widths = results.flatMap(({ holds, interval }) =>
    holds === null || interval === null ? [] : [interval.high - interval.low],
  );
  const judged = results.filter(({ row, says }) => row.publishedFits !== null && says !== null);
  return {
    figures: rows,
    median,
    nineteenOfTwenty,
    worst,
    held: held.length === 0 ? null : held.filter(Boolean).length / held.length,
    width: quantile(
      widths.sort((a, b) => a - b),
      0.5,
    ),
    verdicts: judged.length,
    right: judged.filter(({ row, says }) => row.publishedFits === says).length,
  };
}

type KeyOf = (result: PublishedResult) => string;

const groupings: readonly (readonly [string, KeyOf])[] = [
  ['class', ({ row }) => row.class],
  ['method', ({ question }) => question.request.training.method.kind],
  ['strategy', ({ question }) => question.request.strategy],
  ['source', ({ row }) => row.source],
  ['measured', ({ measured }) => (measured ? 'measured' : 'not measured')],
];

/** What must not get worse, from the run of 2026-12-01 with a little slack. The goals of the design are stricter. */
const limits = {
  A: { median: 0.05, held: 0.8 },
  all: { median: 0.145, held: 0.55, right: 0.9 },
} as const;

/** Prints the section; whether all that must not get worse has not. */
export function reportPublished(
  questions: readonly PublishedQuestion[],
  say: (line: string) => void,
): boolean {
  const results = questions.map(playPublished);
  for (const [title, keyOf] of groupings) sayGroups(say, title, results, keyOf);
  say('');
  say(
    'beside other estimators'.padEnd(36) +
      '   figures    median      95 %     worst   OOM called so, fits called so',
  );
  sayCompared(
    say,
    'Headroom',
    results.map(({ error, row, says }) => ({ error, row, says })),
  );
  for (const { bytes, name } of alternatives)
    sayCompared(
      say,
      name,
      results.map(({ question, row }) => compared(bytes(question), row)),
    );
  const all = summarisePublished(results);
  const classA = summarisePublished(results.filter(({ row }) => row.class === 'A'));
  const kept =
    classA.median <= limits.A.median &&
    (classA.held ?? 1) >= limits.A.held &&
    all.median <= limits.all.median &&
    (all.held ?? 1) >= limits.all.held &&
    all.right >= limits.all.right * all.verdicts;
  say('');
  say(
    `${kept ? 'kept  ' : 'MISSED'} published: class A median ${percent(classA.median)}, all ${percent(all.median)}, verdicts ${all.right} of ${all.verdicts}`,
  );
  return kept;
}

function sayGroups(
  say: (line: string) => void,
  title: string,
  results: readonly PublishedResult[],
  keyOf: KeyOf,
): void {
  say('');
  say(
    `published, by ${title}`.padEnd(36) +
      '   figures    median      95 %     worst      held     width   verdicts',
  );
  const keys = [...new Set(results.map(keyOf))].sort();
  for (const key of [...keys, 'all'])
    say(
      line(key, summarisePublished(key === 'all' ? results : results.filter((each) => keyOf(each) === key))),
    );
}

function line(name: string, summary: PublishedSummary): string {
  const { figures, held, median, nineteenOfTwenty, right, verdicts, width, worst } = summary;
  const cells = [
    String(figures),
    percent(median),
    percent(nineteenOfTwenty),
    percent(worst),
    held === null ? '-' : percent(held),
    percent(width),
    `${right}/${verdicts}`,
  ];
  return `  ${name}`.padEnd(36) + cells.map((cell) => cell.padStart(10)).join('');
}

type Compared = Pick<PublishedResult, 'error' | 'row' | 'says'>;

/** An estimator that gives one figure: it fits where that is within the card. */
function compared(bytes: number, row: PublishedResult['row']): Compared {
  const published = row.published.bytes;
  const at = row.flags.indexOf('--card-mib');
  const cardBytes = Number((row.flags[at + 1] ?? '').split(',')[0]) * 2 ** 20;
  return {
    row,
    error: published === null ? null : bytes / published - 1,
    says: bytes <= cardBytes ? 'fits' : 'oom',
  };
}

function sayCompared(say: (line: string) => void, name: string, results: readonly Compared[]): void {
  const { median, nineteenOfTwenty, rows, worst } = summariseErrors(
    results.flatMap(({ error }) => error ?? []),
  );
  const called = (fact: 'fits' | 'oom'): string => {
    const of = results.filter(({ row, says }) => row.publishedFits === fact && says !== null);
    return `${of.filter(({ says }) => says === fact).length}/${of.length}`;
  };
  const cells = [
    String(rows),
    percent(median),
    percent(nineteenOfTwenty),
    percent(worst),
    called('oom'),
    called('fits'),
  ];
  say(`  ${name}`.padEnd(36) + cells.map((cell) => cell.padStart(10)).join(''));
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
