/**
 * `nvidia-smi pmon` and `nvidia-smi dmon`: columns under a header that is repeated every so many lines. Columns differ
 * by `-s` and by driver (jpg, ofa, ccpm came later), so they are found by the header; `-` is unknown.
 */
import { emptyCard, emptyProcess, processName, processType, type CardDraft } from './card';
import { cellAmount, cellBytes, cellIndex, cellNumber, cellPid, cellUtilization } from './cell';
import { readFailure } from './failures';
import { LineTroubles } from './lineTroubles';
import { uniqueProblems } from '../problems';
import { emptyReading } from './reading';
import type { CardReading, GpuProcess, GpuReading, Problem } from '../types';

/** The column names of a header line (`# gpu  pid  type …`, `#Date Time gpu …`), or null where the line is none. */
export function monitorHeader(line: string): string[] | null {
  if (line.length > 1000) return null;
  const match = /^\s*#\s*(\S.*)$/.exec(line);
  const names =
    match?.[1]
      ?.trim()
      .toLowerCase()
      .split(/[\s,]+/) ?? [];
  return names.includes('gpu') && names.length > 1 ? names : null;
}

/** The second header line gives units: `# Idx  #  C/G  %`, `#YYYYMMDD HH:MM:SS Idx`. */
function isUnitLine(line: string): boolean {
  return /^\s*#/.test(line);
}

/** The last column of `pmon` is a name that may hold blanks; all before are single words. */
function rowValues(line: string, names: readonly string[]): Map<string, string> | null {
  const separator = line.includes(',') && /^\s*[^\s,]+\s*,/.test(line) ? /\s*,\s*/ : /\s+/;
  const words = line.trim().split(separator);
  const last = names.length - 1;
  if (words.length < names.length && names[last] !== 'command') return null;
  if (words.length < last) return null;
  const values = new Map(names.map((name, place) => [name, words[place] ?? ''] as const));
  if (names[last] === 'command')
    values.set('command', words.slice(last).join(separator.source.includes(',') ? ', ' : ' '));
  else if (words.length > names.length) return null;
  return values;
}

function readProcess(values: ReadonlyMap<string, string>): GpuProcess | null {
  const pid = cellPid(values.get('pid'));
  const gpuIndex = cellIndex(values.get('gpu'));
  if (pid === null || gpuIndex === null) return null;
  return {
    ...emptyProcess(),
    gpuIndex,
    pid,
    type: processType(values.get('type')),
    name: processName(values.get('command')),
    usedBytes: cellBytes(values.get('fb')),
  };
}

/**
 * The processes of the newest tick. A process that shows up again begins the next tick, wherever the header is
 * repeated; where the text breaks off in a tick, the rest is as it was in the tick before.
 */
class ProcessTicks {
  private before: GpuProcess[] = [];
  private current: GpuProcess[] = [];
  private seen = new Set<string>();

  add(process: GpuProcess): void {
    const key = `${process.gpuIndex}/${process.pid}`;
    if (this.seen.has(key)) {
      this.before = this.current;
      this.current = [];
      this.seen = new Set();
    }
    this.seen.add(key);
    this.current.push(process);
  }

  newest(brokenOff: boolean): GpuProcess[] {
    if (!brokenOff || this.current.length >= this.before.length) return this.current;
    const last = this.current.at(-1);
    const place = this.before.findIndex(
      ({ pid, gpuIndex }) => pid === last?.pid && gpuIndex === last?.gpuIndex,
    );
    return [...this.current, ...(place < 0 ? [] : this.before.slice(place + 1))];
  }
}

function readCard(values: ReadonlyMap<string, string>): CardDraft | null {
  const index = cellIndex(values.get('gpu'));
  if (index === null) return null;
  return {
    ...emptyCard(),
    index,
    powerWatts: cellAmount(values.get('pwr')),
    temperatureC: cellNumber(values.get('gtemp') ?? values.get('temp')),
    utilizationPercent: cellUtilization(values.get('sm')),
    memoryClockMHz: cellAmount(values.get('mclk')),
    smClockMHz: cellAmount(values.get('pclk')),
    memoryUsedBytes: cellBytes(values.get('fb')),
  };
}

interface Rows {
  readonly add: (values: ReadonlyMap<string, string>) => boolean;
}

/** Hands every row under a header to `rows`; what is neither row nor header nor a failure counts as damage. */
function readRows(text: string, rows: Rows): Problem[] {
  const problems: Problem[] = [];
  const troubles = new LineTroubles();
  let names: readonly string[] = [];
  for (const line of text.split('\n')) {
    troubles.next();
    if (line.trim() === '') continue;
    const header = monitorHeader(line);
    if (header !== null) names = header;
    else if (!isUnitLine(line)) {
      const values = line.length > 1000 ? null : rowValues(line, names);
      const failure = readFailure(line.trim());
      if (failure !== null) problems.push(failure);
      else if (values === null || !rows.add(values)) troubles.add();
    }
  }
  return uniqueProblems([...problems, ...troubles.problems()]);
}

/** Cards that a monitor names without a reading of their own, in index order. */
function namedCards(indices: ReadonlySet<number>): CardReading[] {
  return [...indices].sort((left, right) => left - right).map((index) => ({ ...emptyCard(), index }));
}

export function readPmon(text: string): GpuReading {
  const ticks = new ProcessTicks();
  const indices = new Set<number>();
  const problems = readRows(text, {
    add: (values) => {
      const index = cellIndex(values.get('gpu'));
      if (index === null) return false;
      indices.add(index);
      const process = readProcess(values);
      if (process !== null) ticks.add(process);
      return process !== null || values.get('pid') === '-';
    },
  });
  return {
    ...emptyReading('pmon'),
    cards: namedCards(indices),
    processes: ticks.newest(!text.endsWith('\n')),
    problems,
  };
}

/** The newest row of each card. `sm` is the share of time with a kernel running, as `utilization.gpu`. */
export function readDmon(text: string): GpuReading {
  const cards = new Map<number, CardReading>();
  const problems = readRows(text, {
    add: (values) => {
      const card = readCard(values);
      if (card?.index === null || card === null) return false;
      cards.set(card.index, card);
      return true;
    },
  });
  return { ...emptyReading('dmon'), cards: [...cards.values()], problems };
}
