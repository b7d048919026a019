/** The table of `npm run accuracy`: errors by model, method, precision and strategy, and whether they keep to the claims. */
import path from 'node:path';
import { baselines } from './baselines';
import {
  claims,
  INTERVAL_COVERAGE,
  INTERVAL_WIDTH,
  LARGEST_DISTANCE,
  LARGEST_EXACT,
  LARGEST_TOO_HIGH,
  TRACE_PEAK,
  TRACE_SHARE,
} from './claims';
import { type LargestRow, playLargest } from './largest';
import { sayZeroRows } from './libraries';
import { architectureOf, describeRun, type MeasuredRow, type MeasuredRun, readLines } from './measured';
import { playRow, type RowResult } from './rows';
import { type ErrorSummary, quantile, summariseErrors } from './statistics';
import { measuredPhases, type PhaseBytes, playedPhases } from './phases';
import { type MeasuredTrace, playTrace } from './traces';

const WORST_ROWS = 10;

export interface ReportFiles {
  readonly folder: string;
  readonly rows: readonly string[];
  readonly largest: readonly string[];
  readonly traces: readonly string[];
  readonly chosen: (run: MeasuredRun) => boolean;
  readonly say: (line: string) => void;
}

/** Prints the report; the number of claims that are missed. */
export function report(files: ReportFiles): number {
  const { say } = files;
  const all = playRows(files);
  // What a thread's pace decides is told, and is no claim.
  const results = all.filter(({ holdsOldBuckets }) => !holdsOldBuckets);
  for (const [title, keyOf] of groupings) sayGroups(say, title, results, keyOf);
  say('');
  const missed = [
    ...sayClaims(say, results),
    sayIntervals(say, results),
    sayLargest(files),
    sayTraces(files),
    sayZeroRows(say),
  ].filter((kept) => !kept).length;
  sayBaselines(files, results);
  say('');
  sayHeldBuckets(say, all);
  say('worst rows, allocated');
  const worst = [...results].sort((a, b) => Math.abs(b.allocatedError) - Math.abs(a.allocatedError));
  for (const { row, allocatedError } of worst.slice(0, WORST_ROWS))
    say(`  ${percent(allocatedError).padStart(12)}  ${describeRun(row)}`);
  say('');
  say(missed === 0 ? 'every claim is kept' : `${missed} claims are missed`);
  return missed;
}

function playRows({ folder, rows, chosen, say }: ReportFiles): readonly RowResult[] {
  const results: RowResult[] = [];
  for (const file of rows) {
    for (const row of readLines<MeasuredRow>(folder, file)) {
      if (row.error !== undefined || !chosen(row)) continue;
      try {
        results.push(playRow(folder, row));
      } catch (error) {
        say(`not played: ${path.basename(file)} ${describeRun(row)}: ${String(error)}`);
      }
    }
  }
  return results;
}

/** DDP on several cards: how often the first buckets were still held in the second step. */
function sayHeldBuckets(say: (line: string) => void, results: readonly RowResult[]): void {
  const ddp = results.filter(({ row }) => row.rank !== undefined && row.strategy?.startsWith('ddp') === true);
  const held = ddp.filter(({ holdsOldBuckets }) => holdsOldBuckets);
  if (held.length === 0) return;
  say(
    `${held.length} of ${ddp.length} DDP rows with ranks held the first buckets in step 2 and are left out above:`,
  );
  for (const { row, allocatedError } of held)
    say(`  ${percent(allocatedError).padStart(12)}  ${describeRun(row)}`);
  say('');
}

type KeyOf = (row: MeasuredRow) => string;

const groupings: readonly (readonly [string, KeyOf])[] = [
  ['model', ({ model }) => model],
  ['method', ({ lora }) => (lora === undefined ? 'full' : 'lora')],
  ['precision', ({ precision }) => precision],
  ['strategy', ({ strategy = 'single' }) => strategy],
  ['optimizer', ({ optim = 'adamw' }) => optim],
  ['attention', ({ attn = 'sdpa', sdp }) => sdp ?? attn],
  ['checkpointing', ({ ckpt }) => (ckpt === true ? 'full' : 'none')],
];

const COLUMNS = ['rows', 'median', '90 %', '95 %', 'worst', 'mean'] as const;

function sayGroups(
  say: (line: string) => void,
  title: string,
  results: readonly RowResult[],
  keyOf: KeyOf,
): void {
  const groups = new Map<string, number[]>();
  for (const { row, allocatedError } of results) {
    const key = keyOf(row);
    groups.set(key, [...(groups.get(key) ?? []), allocatedError]);
  }
  say('');
  say(`allocated, by ${title}`.padEnd(30) + COLUMNS.map((name) => name.padStart(11)).join(''));
  for (const [key, errors] of [...groups].sort(([a], [b]) => a.localeCompare(b)))
    say(`  ${key}`.padEnd(30) + cells(summariseErrors(errors)));
}

function cells({ rows, median, nineOfTen, nineteenOfTwenty, worst, signedMean }: ErrorSummary): string {
  const shares = [median, nineOfTen, nineteenOfTwenty, worst, signedMean].map(percent);
  return [String(rows), ...shares].map((cell) => cell.padStart(11)).join('');
}

const percent = (share: number): string => `${(share * 100).toFixed(3)} %`;

/** One answer a claim: whether it is kept. */
function sayClaims(say: (line: string) => void, results: readonly RowResult[]): readonly boolean[] {
  return claims.map(({ name, covers, error, limits }) => {
    const errors = results.filter(covers).flatMap((result) => error(result) ?? []);
    const summary = summariseErrors(errors);
    const checked = (['median', 'nineteenOfTwenty', 'worst'] as const).map((key) => ({
      text: `${percent(summary[key])} (${percent(limits[key])})`,
      kept: summary[key] <= limits[key],
    }));
    const kept = checked.every((entry) => entry.kept);
    const values = checked.map(({ text }) => text.padStart(22)).join('');
    say(`${mark(kept)} ${name.padEnd(50)}${String(errors.length).padStart(5)}${values}`);
    return kept;
  });
}

const mark = (kept: boolean): string => (kept ? 'kept  ' : 'MISSED');

function sayIntervals(say: (line: string) => void, results: readonly RowResult[]): boolean {
  const held = results.flatMap(({ intervalHolds }) => intervalHolds ?? []);
  const widths = results.flatMap(({ intervalWidth }) => intervalWidth ?? []).sort((a, b) => a - b);
  if (held.length === 0) return true;
  const coverage = held.filter(Boolean).length / held.length;
  const width = quantile(widths, 0.5);
  const kept = coverage >= INTERVAL_COVERAGE && width <= INTERVAL_WIDTH;
  say(
    `${mark(kept)} interval of the process, one card: holds ${percent(coverage)} of ${held.length}, median width ${percent(width)}`,
  );
  return kept;
}

function sayLargest({ folder, largest, chosen, say }: ReportFiles): boolean {
  const pairs: { readonly measured: number; readonly played: number; readonly name: string }[] = [];
  for (const file of largest) {
    for (const row of readLines<LargestRow>(folder, file)) {
      if (row.error !== undefined || row.max_batch === undefined || !chosen(row)) continue;
      try {
        const name = `${describeRun(row)} card=${row.card_mib}`;
        pairs.push({ measured: row.max_batch, played: playLargest(folder, row), name });
      } catch (error) {
        say(`not played: ${path.basename(file)} ${describeRun(row)}: ${String(error)}`);
      }
    }
  }
  if (pairs.length === 0) return true;
  const share = (holds: (measured: number, played: number) => boolean): number =>
    pairs.filter(({ measured, played }) => holds(measured, played)).length / pairs.length;
  const exact = share((measured, played) => measured === played);
  const high = share((measured, played) => played > measured);
  const far = share(
    (measured, played) => Math.abs(played - measured) > Math.max(1, LARGEST_DISTANCE * measured),
  );
  const kept = exact >= LARGEST_EXACT && high <= LARGEST_TOO_HIGH && far === 0;
  say(
    `${mark(kept)} largest micro-batch: exact in ${percent(exact)} of ${pairs.length}, too high in ${percent(high)}, more than a step away in ${percent(far)}`,
  );
  for (const { measured, played, name } of pairs)
    if (measured !== played) say(`         measured ${measured}, played ${played}: ${name}`);
  return kept;
}

/**
 * The second step's peak in bytes as they were asked for. In which block a request lands, and so what is counted for it, follows the
 * addresses that the driver happened to give.
 */
function sayTraces({ folder, traces, chosen, say }: ReportFiles): boolean {
  const errors: { readonly error: number; readonly name: string }[] = [];
  for (const file of traces) {
    for (const trace of readLines<MeasuredTrace>(folder, file)) {
      if (trace.error !== undefined || !chosen(trace)) continue;
      try {
        const measured = measuredPhases(trace);
        const played = playedPhases(playTrace(folder, trace), measured);
        errors.push({ error: peakOf(played) / peakOf(measured) - 1, name: describeRun(trace) });
      } catch (error) {
        say(`not played: ${path.basename(file)} ${describeRun(trace)}: ${String(error)}`);
      }
    }
  }
  if (errors.length === 0) return true;
  const wrong = errors.filter(({ error }) => Math.abs(error) > TRACE_PEAK);
  const kept = wrong.length <= (1 - TRACE_SHARE) * errors.length;
  say(`${mark(kept)} peaks of traced steps: ${wrong.length} of ${errors.length} off by more than 0.1 %`);
  for (const { error, name } of wrong) say(`         ${percent(error)}: ${name}`);
  return kept;
}

const peakOf = (phases: readonly PhaseBytes[]): number =>
  Math.max(...phases.filter(({ phase }) => phase.endsWith(' 2')).map(({ peakBytes }) => peakBytes));

function sayBaselines({ folder, say }: ReportFiles, results: readonly RowResult[]): void {
  const full = results.filter(({ row }) => row.lora === undefined && row.strategy === undefined);
  say('');
  say('full fine-tuning on one card'.padEnd(30) + COLUMNS.map((name) => name.padStart(11)).join(''));
  say('  played'.padEnd(30) + cells(summariseErrors(full.map(({ allocatedError }) => allocatedError))));
  for (const { name, peakBytes } of baselines) {
    const errors = full.flatMap(({ row }) => {
      const bytes = peakBytes(architectureOf(folder, row), row);
      return bytes === null ? [] : [bytes / row.peak_alloc - 1];
    });
    say(`  ${name}`.padEnd(30) + cells(summariseErrors(errors)));
  }
}
