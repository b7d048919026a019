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

/** The cells of one row by the name of their column; empty where there is no such column. */
type Row = (name: string) => string;

/**
 * Reads the rows under a header. Cells are single words, or (`--format csv`) lie between commas; only the last column
 * of `pmon`, a name, may hold blanks. Null for a line with too few or too many cells.
 */
function rowReader(names: readonly string[]): (line: string) => Row | null {
  const places = new Map(names.map((name, place) => [name, place] as const));
  const last = names.length - 1;
  const endsInName = names[last] === 'command';
  return (line) => {
    const separator = line.includes(',') && /^\s*[^\s,]+\s*,/.test(line) ? ',' : ' ';
    const words = separator === ',' ? line.split(',').map((word) => word.trim()) : line.trim().split(/\s+/);
    if (words.length < (endsInName ? last : names.length)) return null;
    if (endsInName) words.splice(last, Infinity, words.slice(last).join(separator));
    else if (words.length > names.length) return null;
    return (name) => words[places.get(name) ?? -1] ?? '';
  };
}

function readProcess(row: Row): GpuProcess | null {
  const pid = cellPid(row('pid'));
  const gpuIndex = cellIndex(row('gpu'));
  if (pid === null || gpuIndex === null) return null;
  return {
    ...emptyProcess(),
    gpuIndex,
    pid,
    type: processType(row('type')),
    name: processName(row('command')),
    usedBytes: cellBytes(row('fb')),
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

function readCard(row: Row): CardDraft | null {
  const index = cellIndex(row('gpu'));
  if (index === null) return null;
  return {
    ...emptyCard(),
    index,
    powerWatts: cellAmount(row('pwr')),
    temperatureC: cellNumber(row('gtemp')) ?? cellNumber(row('temp')),
    utilizationPercent: cellUtilization(row('sm')),
    memoryClockMHz: cellAmount(row('mclk')),
    smClockMHz: cellAmount(row('pclk')),
    memoryUsedBytes: cellBytes(row('fb')),
  };
}

/** Hands every row under a header to `add`; what is neither row nor header nor a failure counts as damage. */
function readRows(text: string, add: (row: Row) => boolean): Problem[] {
  const problems: Problem[] = [];
  const troubles = new LineTroubles();
  let read = rowReader([]);
  for (const line of text.split('\n')) {
    troubles.next();
    if (line.trim() === '') continue;
    const header = monitorHeader(line);
    if (header !== null) read = rowReader(header);
    else if (!isUnitLine(line)) {
      const row = line.length > 1000 ? null : read(line);
      if (row !== null && add(row)) continue;
      const failure = readFailure(line.trim());
      if (failure !== null) problems.push(failure);
      else troubles.add();
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
  const problems = readRows(text, (row) => {
    const index = cellIndex(row('gpu'));
    if (index === null) return false;
    indices.add(index);
    const process = readProcess(row);
    if (process !== null) ticks.add(process);
    return process !== null || row('pid') === '-';
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
  const problems = readRows(text, (row) => {
    const card = readCard(row);
    if (card?.index === null || card === null) return false;
    cards.set(card.index, card);
    return true;
  });
  return { ...emptyReading('dmon'), cards: [...cards.values()], problems };
}
