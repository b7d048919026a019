import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Facts } from '../../../../shared/doctor/types';
import { dataFolder } from '../../../data';

/** A failure that somebody reported, with what can be read in it and what it was. */
export interface RecordedCase {
  readonly id: string;
  readonly raw: string;
  readonly facts: Partial<Facts>;
  /** Names that are right from the text alone, the likeliest first. */
  readonly right: readonly string[];
  readonly tellable: boolean;
  /** Rules are written on one half of the cases and checked on the other; which half goes by the id's hash. */
  readonly half: 'written-on' | 'checked-on';
}

export const fixtures = path.resolve(import.meta.dirname, '../../../fixtures/oom');

function rows(file: string): Record<string, unknown>[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function halfOf(id: string): RecordedCase['half'] {
  const digit = createHash('sha1').update(id).digest('hex').charAt(0);
  return Number.parseInt(digit, 16) % 2 === 0 ? 'written-on' : 'checked-on';
}

/** Fact names of the full data set against the command's (data/README.md). */
const factNames: Readonly<Record<string, keyof Facts>> = {
  tried_alloc_bytes: 'triedBytes',
  used_by_this_process_bytes: 'thisProcessBytes',
  listed_processes: 'processes',
  private_pools_bytes: 'privatePoolBytes',
  cached_bytes: 'unallocatedBytes',
  gpu_index: 'gpuIndex',
  capacity_bytes: 'capacityBytes',
  free_bytes: 'freeBytes',
  allocated_bytes: 'allocatedBytes',
  reserved_bytes: 'reservedBytes',
  unallocated_bytes: 'unallocatedBytes',
};

/** The selection that the project carries. */
export function carriedCases(): RecordedCase[] {
  return rows(path.join(fixtures, 'cases.jsonl')).map((row) => ({
    id: String(row['id']),
    raw: String(row['raw']),
    facts: row['facts'] as Partial<Facts>,
    right: [String(row['cause']), ...(row['also'] as string[])],
    tellable: row['tellable'] === true,
    half: halfOf(String(row['id'])),
  }));
}

/** All printed cases of the data folder where it is at hand, else the selection. */
export function allCases(): RecordedCase[] {
  const folder = dataFolder();
  const file = folder === null ? null : path.join(folder, 'oom', 'cases.jsonl');
  if (file === null || !existsSync(file)) return carriedCases();
  return rows(file)
    .filter((row) => row['raw_kind'] === 'printed')
    .map((row) => ({
      id: String(row['id']),
      raw: String(row['raw']),
      facts: Object.fromEntries(
        Object.entries(row['facts'] as Record<string, unknown>).flatMap(([name, value]) => {
          const fact = factNames[name];
          return fact === undefined ? [] : [[fact, value]];
        }),
      ),
      right: [String(row['cause_tag']), ...(row['also'] as string[])],
      tellable: row['tellable'] === true,
      half: halfOf(String(row['id'])),
    }));
}

export interface RecordedOutput {
  readonly name: string;
  readonly stderr: string;
}

/** What PyTorch 2.11 printed on an H200 when it was made to fail. */
export function recordedOutputs(): RecordedOutput[] {
  return rows(path.join(fixtures, 'torch-2.11-h200.jsonl')).map((row) => ({
    name: String(row['name']),
    stderr: String(row['stderr']),
  }));
}

export interface ReportedText {
  readonly id: string;
  readonly want: readonly string[];
  readonly raw: string;
}

/** Texts after public reports that are not among the cases; written down before the rules had seen them. */
export function reportedTexts(): ReportedText[] {
  return rows(path.join(fixtures, 'reports.jsonl')) as unknown as ReportedText[];
}

/** Texts after public reports of many frameworks; of the first 88, 61 were told right before the rules had seen them, of the others 42 of 54. */
export function knownWordings(): ReportedText[] {
  return rows(path.join(fixtures, 'wordings.jsonl')) as unknown as ReportedText[];
}

/** One message of a program's own source: what an engineer reads in it. */
export interface RecordedMessage {
  /** Who prints it; null where many do. */
  readonly program: string | null;
  readonly kind: string;
  readonly cause: string | null;
  readonly figures: Readonly<Record<string, number>>;
  readonly text: string;
}

export function recordedMessages(): RecordedMessage[] {
  return rows(path.join(fixtures, 'messages.jsonl')) as unknown as RecordedMessage[];
}
