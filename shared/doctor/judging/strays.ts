import { message } from '../../i18n/message';
import { GiB } from '../../units';
import type { Context } from '../failures/readFailure';
import type { SmiRow } from '../lines/smiRows';

/** A CUDA context and little more: 0.2 to 0.9 GiB, by card and library version. */
export const largestBare = 1.1 * GiB;

/** Processes on card 0 that also are on another card; or, where only card 0 is shown, many equal small ones beside a large. */
export function strays({ failure }: Context): readonly SmiRow[] {
  const compute = failure.smiRows.filter((row) => row.type !== 'G');
  const elsewhere = new Map(compute.filter((row) => row.gpuIndex !== 0).map((row) => [row.pid, row.bytes]));
  const onCard0 = compute.filter((row) => row.gpuIndex === 0);
  const both = onCard0.filter((row) => row.bytes > 0 && row.bytes < (elsewhere.get(row.pid) ?? 0));
  if (both.length > 0) return both;
  const small = onCard0.filter((row) => row.bytes > 0.2 * GiB && isBareRow(row));
  const equal = small.filter((row) => Math.abs(row.bytes - (small[0]?.bytes ?? 0)) < 0.05 * row.bytes);
  const large = onCard0.some((row) => row.bytes > 2 * (small[0]?.bytes ?? Infinity));
  return large && equal.length >= 3 ? equal : [];
}

export function isBareRow(row: SmiRow): boolean {
  return row.bytes < largestBare;
}

export function strayEvidence(context: Context) {
  const found = strays(context);
  return [
    message('doctorEvidence.bareContexts', { count: found.length }),
    ...found
      .slice(0, 4)
      .map((row) => message('doctorEvidence.processHolds', { pid: String(row.pid), held: row.bytes })),
  ];
}
