/**
 * `nvidia-smi --query-compute-apps=…` and `--query-accounted-apps=…`: one line a process, with or without a header.
 * Process titles are chosen by the workload: they may hold commas, quotes and any letter.
 */
import { emptyProcess, processName } from './card';
import { cellBytes, cellIndex, cellPid, cellText, missingReason } from './cell';
import { fieldName, headerFields, rowCells } from './csv';
import { readFailure } from './failures';
import { LineTroubles } from './lineTroubles';
import { cardProblem, uniqueProblems } from '../problems';
import { emptyReading } from './reading';
import type { GpuProcess, GpuReading, Problem } from '../types';

export interface AppRow {
  readonly timestamp: string | null;
  readonly process: GpuProcess;
  /** The driver refused to say which process this is (MIG in a container). */
  readonly hidden: boolean;
}

export type AppRowReader = (line: string) => AppRow | null;

/** Fields of the query for processes; `name` is the process's here. */
const appFields = new Set([
  'timestamp',
  'gpu_name',
  'gpu_bus_id',
  'gpu_serial',
  'gpu_uuid',
  'pid',
  'process_name',
  'name',
  'used_gpu_memory',
  'used_memory',
]);
/** Fields that only the query for accounted processes has. */
const onlyAccounted = [
  'gpu_utilization',
  'gpu_util',
  'mem_utilization',
  'mem_util',
  'max_memory_usage',
  'max_mem_usage',
];
const accountedFields = new Set([
  'timestamp',
  'gpu_name',
  'gpu_bus_id',
  'gpu_serial',
  'gpu_uuid',
  'vgpu_instance',
  'pid',
  ...onlyAccounted,
  'time',
]);
/** Fields that only the query for processes has. */
const onlyApps = ['process_name', 'used_gpu_memory', 'used_memory'];

/** Which of the two queries a header line belongs to, or null where it is neither's. */
export function appsHeader(line: string): { kind: 'csv-apps' | 'csv-accounted'; fields: string[] } | null {
  const fields = headerFields(line, (field) => appFields.has(field) || accountedFields.has(field));
  if (fields === null) return null;
  const has = (names: readonly string[]) => names.some((name) => fields.includes(name));
  if (has(onlyAccounted) && fields.every((field) => accountedFields.has(field)))
    return { kind: 'csv-accounted', fields };
  if (!fields.every((field) => appFields.has(field))) return null;
  return has(onlyApps) || fields.includes('pid') ? { kind: 'csv-apps', fields } : null;
}

const uuidShape = /^(?:GPU|MIG)-\S+$/;

/** A number, even one that is no pid, or a word for none. */
function isPidCell(cell: string): boolean {
  return /^\d{1,20}$/.test(cell) || missingReason(cell) !== null;
}

/**
 * A reader for the lines of one query. `asked` are the field names in order. The reader answers null for a line that
 * is not a row of this query. `usedBytes` of an accounted process is the most that it held.
 */
export function appRowReader(asked: readonly string[]): AppRowReader {
  const fields = asked.map(fieldName);
  const place = (...names: string[]) => fields.findIndex((field) => names.includes(field));
  const titleAt = place('process_name', 'name');
  const cardNameAt = place('gpu_name');
  const freeText = titleAt >= 0 ? titleAt : cardNameAt >= 0 ? cardNameAt : null;
  const timestampAt = place('timestamp');
  const uuidAt = place('gpu_uuid');
  const pidAt = place('pid');
  const memoryAt = place('used_gpu_memory', 'used_memory', 'max_memory_usage', 'max_mem_usage');

  return (line) => {
    const cells = rowCells(line, fields.length, freeText);
    if (cells === null) return null;
    const uuid = uuidAt < 0 ? null : cellText(cells[uuidAt]);
    if (uuid !== null && !uuidShape.test(uuid)) return null;
    const pidCell = pidAt < 0 ? '' : (cells[pidAt] ?? '');
    const pid = cellPid(pidCell);
    const hidden = missingReason(pidCell) === 'no-permission';
    const memoryCell = memoryAt < 0 ? '' : (cells[memoryAt] ?? '');
    if (pidAt >= 0 && !isPidCell(pidCell)) return null;
    const usedBytes = cellBytes(memoryCell);
    if (
      usedBytes === null &&
      missingReason(memoryCell) === null &&
      cellIndex(memoryCell.split(' ')[0]) === null
    )
      return null;
    return {
      timestamp: timestampAt < 0 ? null : cellText(cells[timestampAt]),
      process: {
        ...emptyProcess(),
        gpuUuid: uuid,
        pid,
        name: titleAt < 0 ? null : processName(cells[titleAt]),
        usedBytes,
      },
      hidden,
    };
  };
}

/** The processes of the newest tick: in a looped output a new timestamp begins a new one. */
class NewestTick {
  private rows: AppRow[] = [];
  private timestamp: string | null = null;

  add(row: AppRow): void {
    if (row.timestamp !== null && row.timestamp !== this.timestamp) {
      if (this.timestamp !== null && !sameTick(this.timestamp, row.timestamp)) this.rows = [];
      this.timestamp = row.timestamp;
    }
    this.rows.push(row);
  }

  restart(): void {
    this.rows = [];
    this.timestamp = null;
  }

  all(): readonly AppRow[] {
    return this.rows;
  }
}

/** Rows of one tick carry stamps a few milliseconds apart, as the cards are asked one after the other. */
function sameTick(before: string, after: string): boolean {
  const milliseconds = (stamp: string) => {
    const match = /^(\d{4})\/(\d{2})\/(\d{2}) (\d{2}):(\d{2}):(\d{2})(?:\.(\d{3}))?/.exec(stamp);
    if (match === null) return null;
    const [, year, month, day, hour, minute, second, fraction = '0'] = match;
    return (
      Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)) +
      Number(fraction)
    );
  };
  const first = milliseconds(before);
  const second = milliseconds(after);
  return first !== null && second !== null && Math.abs(second - first) < 500;
}

/** A row without a header: `GPU-…, 114687, /usr/local/bin/python, 19135`, in the order everyone asks. */
export const usualAppFields: readonly string[] = ['gpu_uuid', 'pid', 'process_name', 'used_memory'];

/** Other orders in which people ask, as their manuals and scripts have it. */
const otherOrders: readonly (readonly string[])[] = [
  ['pid', 'process_name', 'gpu_uuid', 'used_memory'],
  ['pid', 'process_name', 'used_memory'],
  ['pid', 'gpu_uuid', 'process_name', 'used_memory'],
  ['pid', 'gpu_uuid', 'used_memory'],
  ['gpu_uuid', 'pid', 'used_memory'],
  ['gpu_uuid', 'process_name', 'pid', 'used_memory'],
  ['gpu_bus_id', 'pid', 'process_name', 'used_memory'],
  ['gpu_name', 'pid', 'process_name', 'used_memory'],
];

/** Whether a name may be a program's: not a number with or without a unit, and no card's. */
function isProgramName(name: string): boolean {
  return (
    !/^[\d.+-]+(?: ?[%\w/]{1,6})?$/.test(name) && !/^(?:NVIDIA|Tesla|Quadro|GeForce|GPU-|MIG-)/.test(name)
  );
}

/**
 * The fields of rows without a header, where every row fits one of the orders that people ask in; null else. A number and
 * a size alone could be anything: a row must name a program or a card.
 */
export function guessedAppFields(text: string): readonly string[] | null {
  const rows = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (rows.length === 0 || rows.length > mostGuessedRows || rows.some((row) => row.length > 8000))
    return null;
  return (
    otherOrders.find((order) => {
      const read = appRowReader(order);
      const names = order.includes('process_name');
      return rows.every((line) => {
        const row = read(line);
        if (row === null || (row.process.pid === null && !row.hidden)) return false;
        if (order.includes('gpu_uuid') && row.process.gpuUuid === null) return false;
        return !names || row.process.name === null || isProgramName(row.process.name);
      });
    }) ?? null
  );
}

/** No machine runs more on its cards. */
const mostGuessedRows = 10_000;

/** A whole saved output with a header, or without one in an order that is known from elsewhere. */
export function readQueryApps(text: string, fields = usualAppFields): GpuReading {
  const tick = new NewestTick();
  const problems: Problem[] = [];
  const troubles = new LineTroubles();
  let format: 'csv-apps' | 'csv-accounted' = 'csv-apps';
  let read: AppRowReader = appRowReader(fields);
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    troubles.next();
    if (trimmed === '') continue;
    const header = appsHeader(trimmed);
    if (header !== null) {
      format = header.kind;
      read = appRowReader(header.fields);
      tick.restart();
      continue;
    }
    const row = read(trimmed);
    const failure = row === null ? readFailure(trimmed) : null;
    if (row !== null) tick.add(row);
    else if (failure !== null) problems.push(failure);
    else troubles.add();
  }
  const rows = tick.all();
  if (rows.some(({ hidden }) => hidden))
    problems.push(cardProblem('processes-hidden', { index: null, label: '?' }));
  return {
    ...emptyReading(format),
    processes: rows
      .filter(({ process, hidden }) => !hidden && process.pid !== null)
      .map(({ process }) => process),
    problems: uniqueProblems([...problems, ...troubles.problems()]),
  };
}
