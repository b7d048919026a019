import { sumOfKnown } from '../../shared/numbers';
import { columnUnit, type ByteUnit } from '../../shared/units';
import type { I18n } from '../state/i18n.svelte';
import { cardList, memberBytes } from './jobText';
import type { ListedJob, ListedMember } from './jobList';

export interface ColumnUnits {
  readonly memory: ByteUnit;
  readonly hostMemory: ByteUnit;
}

/** One unit for each column of sizes, from the largest value that it shows. */
export function columnUnits(listed: readonly ListedJob[]): ColumnUnits {
  return {
    memory: columnUnit(listed.map(({ job }) => job.memoryBytes)),
    hostMemory: columnUnit(listed.map(({ job }) => job.residentBytes)),
  };
}

/** The figures of one row in words; null is unknown. */
export interface RowCells {
  readonly cards: string | null;
  readonly memory: string | null;
  readonly hostMemory: string | null;
  readonly cpu: string | null;
  readonly age: string | null;
}

/** `slices` are the names of the MIG devices that processes run in, by pid. */
export function jobCells(
  { job }: ListedJob,
  units: ColumnUnits,
  time: number,
  slices: ReadonlyMap<number, string>,
  i18n: I18n,
): RowCells {
  return {
    cards: cardList(job.members, slices, i18n),
    ...cells(job.memoryBytes, job.residentBytes, job.cpuPercent, job.startedAt, units, time, i18n),
  };
}

export function memberCells(
  { member }: ListedMember,
  units: ColumnUnits,
  time: number,
  slices: ReadonlyMap<number, string>,
  i18n: I18n,
): RowCells {
  const { residentBytes, cpuPercent, startedAt } = member.process;
  return {
    cards: cardList([member], slices, i18n),
    ...cells(memberBytes(member), residentBytes, cpuPercent, startedAt, units, time, i18n),
  };
}

/** The sums of a job's data-loader workers; they have no one age. */
export function workersCells(workers: readonly ListedMember[], units: ColumnUnits, i18n: I18n): RowCells {
  const members = workers.map(({ member }) => member);
  const places = members.flatMap((member) => member.cards);
  return {
    cards: cardList(members, new Map(), i18n),
    ...cells(
      sumOfKnown(places.map((place) => place.usedBytes)),
      sumOfKnown(members.map((member) => member.process.residentBytes)),
      sumOfKnown(members.map((member) => member.process.cpuPercent)),
      null,
      units,
      0,
      i18n,
    ),
  };
}

function cells(
  memoryBytes: number | null,
  residentBytes: number | null,
  cpuPercent: number | null,
  startedAt: number | null,
  units: ColumnUnits,
  time: number,
  i18n: I18n,
): Omit<RowCells, 'cards'> {
  return {
    memory: memoryBytes === null ? null : i18n.bytesIn(memoryBytes, units.memory),
    hostMemory: residentBytes === null ? null : i18n.bytesIn(residentBytes, units.hostMemory),
    cpu: cpuPercent === null ? null : i18n.percent(cpuPercent),
    age: startedAt === null ? null : i18n.duration(Math.max(0, time - startedAt)),
  };
}
