/**
 * `npm run accuracy [-- report WORDS]` compares everything that was measured and fails where a claim is missed;
 * `npm run accuracy -- traces [WORDS]` compares recorded steps event by event (`--show`: the first difference of each),
 * `npm run accuracy -- published` compares with figures that other people published, by class, method and source, beside simpler estimators;
 * `npm run accuracy -- rows [WORDS]` lists measured rows with their errors, `npm run accuracy -- largest [WORDS]` the largest
 * micro-batches. WORDS are parts of a run's description, all of which must occur. `HEADROOM_TRACES` and `HEADROOM_ROWS` name further files, in the same formats.
 */
import path from 'node:path';
import { dataFolder } from '../data';
import { describeRun, isOffered, type MeasuredRow, type MeasuredRun, readLines } from './measured';
import { type LargestRow, playLargest } from './largest';
import { reportPublished } from './published/report';
import { reportResiduals } from './published/residuals';
import { publishedQuestions } from './published/rows';
import { report } from './report';
import {
  accumulationRows,
  largestFiles,
  ownRows,
  ownSearches,
  rowFiles,
  traceFiles,
  twoCardRows,
  twoCardTraces,
} from './files';
import { playRow } from './rows';
import { compareTrace, type MeasuredTrace, peakError, playTrace } from './traces';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

export default function main(parameters: readonly string[]): number {
  const folder = dataFolder();
  if (folder === null) say('no full data set here: comparing with the part of it in test/fixtures/accuracy');
  const measured = folder === null ? ownRows : path.join(folder, 'measured');
  const [what = 'report', ...rest] = parameters;
  const words = rest.filter((word) => !word.startsWith('--'));
  const chosen = (run: MeasuredRun): boolean =>
    isOffered(run) && words.every((word) => describeRun(run).includes(word));
  if (what === 'traces') return listTraces(measured, chosen, rest.includes('--show'));
  if (what === 'largest') return listLargest(measured, chosen);
  if (what === 'rows') return listRows(measured, chosen);
  if (what === 'residuals') return listResiduals();
  if (what === 'published') return reportPublished(publishedQuestions(), say) ? 0 : 1;
  const missed = report({
    folder: measured,
    rows: [...rowFiles, ...twoCardRows, ...accumulationRows, ...furtherFiles('HEADROOM_ROWS')],
    largest: [...largestFiles, ...ownSearches],
    traces: [...traceFiles, ...furtherFiles('HEADROOM_TRACES')],
    chosen,
    say,
  });
  // A choice of measured rows asks about those.
  const kept = words.length > 0 || reportPublished(publishedQuestions(), say);
  return missed === 0 && kept ? 0 : 1;
}

function listResiduals(): number {
  reportResiduals(publishedQuestions(), say);
  return 0;
}

/** Files that a variable lists, separated as in PATH, without their `.jsonl`. */
function furtherFiles(variable: string): readonly string[] {
  const files = (process.env[variable] ?? '').split(path.delimiter).filter((file) => file !== '');
  return files.map((file) => path.resolve(file.replace(/\.jsonl$/, '')));
}

function listTraces(folder: string, chosen: (run: MeasuredRun) => boolean, show: boolean): number {
  let differing = 0;
  for (const file of ['traces', ...traceFiles, ...twoCardTraces, ...furtherFiles('HEADROOM_TRACES')]) {
    readLines<MeasuredTrace>(folder, file).forEach((trace, index) => {
      if (trace.error !== undefined || !chosen(trace)) return;
      const name = `${path.basename(file)}:${index} ${describeRun(trace)}`;
      try {
        // `lab/trace.py` does not clip, whatever the case says.
        const clip = file === 'traces' ? false : trace.clip === true;
        const log = playTrace(folder, { ...trace, clip });
        const phases = compareTrace(trace, log);
        const error = peakError(trace, log);
        const wrong = phases.filter(({ difference }) => difference !== null);
        if (wrong.length > 0) differing++;
        const places = wrong.map(({ phase, difference, events }) => `${phase} at ${difference} of ${events}`);
        say(
          `${wrong.length === 0 ? 'same' : 'DIFF'} ${error === null ? '' : percent(error)} ${name} ${places.join(', ')}`,
        );
        if (show)
          for (const line of (wrong.find(({ phase }) => phase !== 'build') ?? wrong[0])?.around ?? [])
            say(line);
      } catch (error) {
        differing++;
        say(`FAIL ${name} ${error instanceof Error ? error.message : String(error)}`);
      }
    });
  }
  return differing === 0 ? 0 : 1;
}

const percent = (share: number): string => `${(share * 100).toFixed(4)} %`;

function listLargest(folder: string, chosen: (run: MeasuredRun) => boolean): number {
  for (const file of [...largestFiles, ...ownSearches, ...furtherFiles('HEADROOM_ROWS')]) {
    readLines<LargestRow>(folder, file).forEach((row, index) => {
      if (row.error !== undefined || row.max_batch === undefined || !chosen(row)) return;
      const name = `${path.basename(file)}:${index} ${describeRun(row)} card=${row.card_mib}`;
      try {
        const played = playLargest(folder, row);
        const sign = played === row.max_batch ? 'same' : played > row.max_batch ? 'HIGH' : 'LOW';
        say(`${sign} measured ${row.max_batch} played ${played} ${name}`);
      } catch (error) {
        say(`FAIL ${name} ${error instanceof Error ? error.message : String(error)}`);
      }
    });
  }
  return 0;
}

function listRows(folder: string, chosen: (run: MeasuredRun) => boolean): number {
  const errors: number[] = [];
  for (const file of [...rowFiles, ...twoCardRows, ...accumulationRows, ...furtherFiles('HEADROOM_ROWS')]) {
    readLines<MeasuredRow>(folder, file).forEach((row, index) => {
      if (row.error !== undefined || !chosen(row)) return;
      const name = `${path.basename(file)}:${index} ${describeRun(row)}`;
      try {
        const { allocatedError, reservedError, processError } = playRow(folder, row);
        errors.push(Math.abs(allocatedError));
        say(
          `${percent(allocatedError)} reserved ${percent(reservedError)} process ${processError === null ? '-' : percent(processError)} ${name}`,
        );
      } catch (error) {
        say(`FAIL ${name} ${error instanceof Error ? error.message : String(error)}`);
      }
    });
  }
  errors.sort((a, b) => a - b);
  const at = (share: number): string => percent(errors[Math.floor(share * (errors.length - 1))] ?? 0);
  say(`${errors.length} rows, allocated: median ${at(0.5)}, 95th ${at(0.95)}, worst ${at(1)}`);
  return 0;
}
