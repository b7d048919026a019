/** `nvidia-smi --query-gpu=… --format=csv[,noheader][,nounits] [-l N]`: any list of fields, one line a card. */
import { emptyCard } from './card';
import { cellIndex, cellText, missingReason, cellVersion } from './cell';
import { headerFields, rowCells, fieldName } from './csv';
import { readFailure } from './failures';
import { FaultCollector, faultProblems, type CardFaults } from './faults';
import { fieldRule, isGpuField, type FieldRule } from './gpuFields';
import { LineTroubles } from './lineTroubles';
import { machineProblem, uniqueProblems } from '../problems';
import { emptyReading } from './reading';
import type { CardReading, GpuReading, Problem } from '../types';

/** One card at one moment. `timestamp` is local time as printed; `count` the number of cards where it was asked. */
export interface GpuRow {
  readonly timestamp: string | null;
  readonly driverVersion: string | null;
  readonly count: number | null;
  readonly card: CardReading;
  readonly faults: CardFaults;
}

export type GpuRowReader = (line: string) => GpuRow | null;

interface Column {
  readonly place: number;
  readonly field: string;
  readonly rule: FieldRule;
}

const timestampShape = /^\d{4}\/\d{2}\/\d{2} \d{2}:\d{2}:\d{2}/;

/**
 * A reader for the lines of one query. `asked` are the field names in order (a unit in brackets may follow each). The
 * reader answers null for a line that cannot be a row of this query: a header, an Xid message, half a line.
 */
export function gpuRowReader(asked: readonly string[]): GpuRowReader {
  const fields = asked.map(fieldName);
  const columns = fields
    .flatMap((field, place): Column[] => {
      const rule = fieldRule(field);
      return rule === null ? [] : [{ place, field, rule }];
    })
    .sort((left, right) => left.rule.rank - right.rule.rank);
  const nameAt = fields.findIndex((field) => field === 'name' || field === 'gpu_name');
  const timestampAt = fields.indexOf('timestamp');
  const driverAt = fields.indexOf('driver_version');
  const kernelDriverAt = fields.indexOf('kmd_version');
  const countAt = fields.indexOf('count');
  const recoveryAt = fields.indexOf('gpu_recovery_action');
  const totalAt = fields.indexOf('memory.total');

  return (line) => {
    const cells = rowCells(line, fields.length, nameAt < 0 ? null : nameAt);
    if (cells === null || !columns.every((column) => column.rule.fits(cells[column.place] ?? '')))
      return null;
    const timestamp = cellText(cells[timestampAt]);
    if (timestamp !== null && !timestampShape.test(timestamp)) return null;
    const card = emptyCard();
    const faults = new FaultCollector();
    for (const { place, field, rule } of columns) {
      const cell = cells[place] ?? '';
      if (faults.note(field, cell)) rule.apply(card, cell);
    }
    faults.noteRecoveryAction(cellText(cells[recoveryAt]));
    const unifiedMemory = hasNoOwnMemory(card, cells[totalAt]);
    if (unifiedMemory) card.memoryTotalBytes = null;
    return {
      timestamp,
      driverVersion: cellVersion(cells[driverAt]) ?? cellVersion(cells[kernelDriverAt]),
      count: cellIndex(cells[countAt]),
      card,
      faults: faults.faults(unifiedMemory),
    };
  };
}

/** A card whose total is 0 or not given, with neither used nor free, shares the memory of the system (GB10, Jetson). */
function hasNoOwnMemory(card: CardReading, totalCell: string | undefined): boolean {
  if (card.memoryTotalBytes === 0) return true;
  if (totalCell === undefined || totalCell === '' || missingReason(totalCell) !== 'absent') return false;
  return card.memoryUsedBytes === null && card.memoryFreeBytes === null;
}

/** The newest row of each card of a (looped) output, in order of first appearance. */
class NewestRows {
  private readonly rows = new Map<string, GpuRow>();
  private place = 0;
  private timestamp: string | null = null;

  add(row: GpuRow): void {
    const newTick = row.timestamp !== null && row.timestamp.slice(0, 19) !== this.timestamp?.slice(0, 19);
    if (newTick || this.place === row.count) this.place = 0;
    this.timestamp = row.timestamp;
    const { index, pciBusId, uuid } = row.card;
    this.rows.set(index === null ? (pciBusId ?? uuid ?? `at ${this.place}`) : `#${index}`, row);
    this.place++;
  }

  restart(): void {
    this.place = 0;
  }

  all(): GpuRow[] {
    return [...this.rows.values()];
  }
}

/**
 * A whole saved output. Of a looped one the newest reading of each card is kept. Where the index was not asked, a
 * card's place is its index: nvidia-smi prints the cards in that order.
 */
export function readQueryGpu(text: string): GpuReading {
  const newest = new NewestRows();
  const problems: Problem[] = [];
  const troubles = new LineTroubles();
  let read: GpuRowReader | null = null;
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    troubles.next();
    if (trimmed === '') continue;
    const header = headerFields(trimmed, isGpuField);
    if (header !== null) {
      read = gpuRowReader(header);
      newest.restart();
      continue;
    }
    const row = read === null ? null : read(trimmed);
    const failure = row === null ? readFailure(trimmed) : null;
    if (row !== null) newest.add(row);
    else if (failure !== null) problems.push(failure);
    else troubles.add();
  }
  const rows = newest
    .all()
    .map((row, place) => ({ ...row, card: { ...row.card, index: row.card.index ?? place } }));
  const count = rows.at(-1)?.count ?? null;
  if (count !== null && count > rows.length)
    problems.push(machineProblem('cards-missing', count, rows.length));
  return {
    ...emptyReading('csv-gpu'),
    driverVersion: rows[0]?.driverVersion ?? null,
    cards: rows.map(({ card }) => card),
    problems: uniqueProblems([
      ...rows.flatMap(({ card, faults }) => faultProblems(card, faults)),
      ...problems,
      ...troubles.problems(),
      // Every card has a line, and no card at all is a message of its own: a header alone lost what followed it.
      ...(rows.length === 0 && problems.length === 0 ? [machineProblem('input-cut')] : []),
    ]),
  };
}
