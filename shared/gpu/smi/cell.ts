/**
 * One value as nvidia-smi prints it: a number with or without its unit, a word, or one of many ways to say that
 * there is none. What is missing becomes null and never 0; why it is missing is kept where a person should know.
 */
import { GiB, KiB, MiB } from '../../units';

/** Why a cell has no value; `absent` is the plain "not offered here". */
export type MissingReason = 'absent' | 'error' | 'needs-reset' | 'lost' | 'no-permission';

/**
 * NVML's error texts and nvidia-smi's own words, lower case, without brackets. `N/A` and `[N/A]` stand side by side
 * in one row (drivers 591 to 610), `[Not Supported]` is the older form, `ERR!` is the table's.
 */
const missingTexts: ReadonlyMap<string, MissingReason> = new Map([
  ['', 'absent'],
  ['-', 'absent'],
  ['n/a', 'absent'],
  ['none', 'absent'],
  ['not supported', 'absent'],
  ['not available', 'absent'],
  ['not available in wddm driver model', 'absent'],
  ['not available in mcdm driver model', 'absent'],
  ['not found', 'absent'],
  ['function not found', 'absent'],
  ['requested functionality has been deprecated', 'absent'],
  ['deprecated', 'absent'],
  ['no data', 'absent'],
  ['insufficient permissions', 'no-permission'],
  ['gpu requires reset', 'needs-reset'],
  ['gpu is lost', 'lost'],
  ['unknown error', 'error'],
  ['err!', 'error'],
  ['error', 'error'],
  ['timeout', 'error'],
  ['invalid argument', 'error'],
  ['insufficient size', 'error'],
  ['in use by another client', 'error'],
  ['no such process', 'absent'],
]);

/** Longer cells are free text (a process title); none of the missing texts is longer. */
const longestMissingText = 64;

function withoutBrackets(cell: string): string {
  return cell.startsWith('[') && cell.endsWith(']') ? cell.slice(1, -1).trim() : cell;
}

/** No missing text begins with a digit, and most cells do. */
function startsWithDigit(cell: string): boolean {
  const code = cell.charCodeAt(0);
  return code >= 48 && code <= 57;
}

/** Why a trimmed cell has no value, or null where it has one. */
export function missingReason(cell: string): MissingReason | null {
  if (cell.length > longestMissingText || startsWithDigit(cell)) return null;
  return missingTexts.get(withoutBrackets(cell).toLowerCase()) ?? null;
}

/** The text of a cell, or null where it says that there is none. */
export function cellText(cell: string | null | undefined): string | null {
  if (cell === null || cell === undefined) return null;
  const text = cell.trim();
  return missingReason(text) === null ? text : null;
}

/** One to eight digits and nothing else: most cells of `nounits` output, and none of NVML's unset values. */
function isPlainNumber(cell: string): boolean {
  if (cell.length === 0 || cell.length > 8) return false;
  for (let place = 0; place < cell.length; place++) {
    const code = cell.charCodeAt(place);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

/**
 * The number at the start of a cell, whatever unit follows; null where there is none or where it is one of NVML's
 * unset values printed as a number (2^64 - 1 and near, 2^32 - 1).
 */
export function cellNumber(cell: string | null | undefined): number | null {
  if (cell === null || cell === undefined) return null;
  if (isPlainNumber(cell)) return Number(cell);
  const match = /^\s*([+-]?\d{1,20}(?:\.\d{1,12})?)(?=\s*(?:[^\s\d]|$))/.exec(cell.slice(0, 80));
  if (match === null) return null;
  const value = Number(match[1]);
  return value === 0xffff_ffff || Math.abs(value) >= 2 ** 53 ? null : value;
}

const memoryUnits: Readonly<Record<string, number>> = {
  '': MiB,
  b: 1,
  kib: KiB,
  kb: KiB,
  mib: MiB,
  mb: MiB,
  gib: GiB,
  gb: GiB,
};

/** Sizes from 1 PiB on are unset values, not memory: the sentinel 2^64 - 1 bytes prints as 17592186044415 MiB. */
const largestMemoryBytes = 2 ** 50;

/** Bytes of a memory cell; `nounits` output and nvidia-smi's "MB" both mean MiB. */
export function cellBytes(cell: string | null | undefined): number | null {
  if (cell === null || cell === undefined) return null;
  if (isPlainNumber(cell)) return Number(cell) * MiB;
  const match = /^(\d{1,15}(?:\.\d{1,6})?)(?:\s*([a-z]{1,3}))?$/i.exec(cell.slice(0, 40).trim());
  if (match === null) return null;
  const unit = memoryUnits[(match[2] ?? '').toLowerCase()];
  if (unit === undefined) return null;
  const bytes = Math.round(Number(match[1]) * unit);
  return bytes < largestMemoryBytes ? bytes : null;
}

/** A busy share 0..100; what lies outside is an unfilled NVML sample (a process at 37100 %). */
export function cellUtilization(cell: string | null | undefined): number | null {
  const value = cellNumber(cell);
  return value !== null && value >= 0 && value <= 100 ? value : null;
}

/** A number that cannot be negative: watts, MHz, counts, fan percent (which may pass 100). */
export function cellAmount(cell: string | null | undefined): number | null {
  const value = cellNumber(cell);
  return value !== null && value >= 0 ? value : null;
}

/** A whole number from 0 on: an index, a GPU instance. */
export function cellIndex(cell: string | null | undefined): number | null {
  const value = cellNumber(cell);
  return value !== null && value >= 0 && Number.isInteger(value) ? value : null;
}

/** A process id; 0 and the unset values that a changed NVML struct shows in its place are none. */
export function cellPid(cell: string | null | undefined): number | null {
  const value = /^\s*\d{1,10}\s*$/.test(cell ?? '') ? Number(cell) : null;
  return value !== null && value > 0 && value < 2 ** 31 ? value : null;
}

/** `Enabled`, `On`, `Yes`, `Active` and their opposites. */
export function cellFlag(cell: string | null | undefined): boolean | null {
  switch (cell?.trim().toLowerCase()) {
    case 'enabled':
    case 'on':
    case 'yes':
    case 'active':
      return true;
    case 'disabled':
    case 'off':
    case 'no':
    case 'not active':
      return false;
    default:
      return null;
  }
}

/** `0x0000000000000004` as a number; null where it is not a hexadecimal mask. */
export function cellMask(cell: string | null | undefined): number | null {
  const match = /^\s*0x([0-9a-f]{1,16})\s*$/i.exec(cell ?? '');
  if (match === null) return null;
  const value = Number.parseInt(match[1] ?? '', 16);
  return value < 2 ** 53 ? value : null;
}

/** `610.57.04` out of `610.57.04 [Deprecated; …]`; null for `Deprecated, see "KMD version" instead`. */
export function cellVersion(cell: string | null | undefined): string | null {
  return /^\s*(\d{1,5}(?:\.\d{1,5}){1,4})\b/.exec(cell ?? '')?.[1] ?? null;
}
