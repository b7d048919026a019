import { message } from '../../i18n/message';
import { GiB } from '../../units';
import type { CaseInLog } from '../case';
import type { SmiRow } from '../text/smiRows';
import { numberDetail, type Rule } from './rule';

/**
 * Process tables in which ranks of other cards also sit on card 0: with a bare context where one was made by accident,
 * with more where they put data there.
 */
export const strayRules: readonly Rule[] = [
  {
    cause: 'stray_context_gpu0',
    when: (at) => strays(at).length > 0,
    confidence: (at) => (strays(at).every(isBare) ? 0.85 : 0.4),
    evidence,
  },
  {
    cause: 'all_ranks_on_gpu0',
    when: (at) => strays(at).length > 0,
    confidence: (at) => (strays(at).every(isBare) ? 0.6 : 0.86),
    evidence,
  },
  {
    cause: 'leftover_process',
    when: (at) => numberDetail(at.it, 'heldWithoutProcessBytes') !== null,
    confidence: 0.6,
    evidence: (at) => [
      message('doctorEvidence.heldWithoutProcess', {
        held: numberDetail(at.it, 'heldWithoutProcessBytes'),
        gpuIndex: String(at.it.facts.gpuIndex ?? '?'),
      }),
    ],
  },
];

/** A CUDA context and little more: 0.2 to 0.9 GiB, by card and library version. */
const largestBare = 1.1 * GiB;

/** Processes on card 0 that also are on another card; or, where only card 0 is shown, many equal small ones beside a large. */
function strays({ it }: CaseInLog): readonly SmiRow[] {
  const compute = it.smiRows.filter((row) => row.type !== 'G');
  const elsewhere = new Map(compute.filter((row) => row.gpuIndex !== 0).map((row) => [row.pid, row.bytes]));
  const onCard0 = compute.filter((row) => row.gpuIndex === 0);
  const both = onCard0.filter((row) => row.bytes > 0 && row.bytes < (elsewhere.get(row.pid) ?? 0));
  if (both.length > 0) return both;
  const small = onCard0.filter((row) => row.bytes > 0.2 * GiB && isBare(row));
  const equal = small.filter((row) => Math.abs(row.bytes - (small[0]?.bytes ?? 0)) < 0.05 * row.bytes);
  const large = onCard0.some((row) => row.bytes > 2 * (small[0]?.bytes ?? Infinity));
  return large && equal.length >= 3 ? equal : [];
}

function isBare(row: SmiRow): boolean {
  return row.bytes < largestBare;
}

function evidence(at: CaseInLog) {
  const found = strays(at);
  return [
    message('doctorEvidence.bareContexts', { count: found.length }),
    ...found
      .slice(0, 4)
      .map((row) => message('doctorEvidence.processHolds', { pid: String(row.pid), held: row.bytes })),
  ];
}
