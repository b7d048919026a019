import type { Message } from '../../i18n/message';
import { GiB, MiB } from '../../units';
import type { Case, CaseInLog } from '../case';
import type { CauseTag } from '../causes';
import type { Sign } from '../signs/signs';

/**
 * One way to come to a cause: when it applies, how often it is right then (checked against the recorded cases by the
 * calibration test), and what to say for it. Rules are independent; the ranking is by confidence.
 */
export interface Rule {
  readonly cause: CauseTag;
  readonly when: (at: CaseInLog) => boolean;
  readonly confidence: number | ((at: CaseInLog) => number);
  readonly evidence: (at: CaseInLog) => readonly Message[];
}

export function has(at: CaseInLog, ...signs: readonly Sign[]): boolean {
  return signs.some((sign) => at.it.signs.has(sign));
}

export function told(at: CaseInLog, ...formats: readonly string[]): boolean {
  return at.it.formats.some((format) => formats.includes(format));
}

/** Whether a format's name begins so: `told(at, 'XPU')` is too narrow, `family(at, 'XPU')` covers all builds. */
export function family(at: CaseInLog, ...starts: readonly string[]): boolean {
  return at.it.formats.some((format) => starts.some((start) => format.startsWith(start)));
}

export function isStory(at: CaseInLog, story: string): boolean {
  return at.it.story === story;
}

export function numberDetail(it: Case, name: string): number | null {
  const value = it.details[name];
  return typeof value === 'number' ? value : null;
}

/** Two decimals at GiB scale hide up to 5 MiB in each number; sums of a few numbers some more. */
export const roundingBytes = 24 * MiB;

/** The floors below which a difference means nothing, from research/oom.md, section 2. */
export const floors = {
  unallocatedBytes: 256 * MiB,
  unallocatedShare: 0.03,
  freeBytes: 512 * MiB,
  freeShare: 0.03,
  outsideBytes: 1.5 * GiB,
  outsideShare: 0.12,
} as const;
