import type { ReadFailure } from './readFailure';

/**
 * Index of the failure from which the others follow: the earliest one that is a cause and not a consequence. Where
 * every line has a time of one clock, time decides, because ranks write into one log out of order; else the line does.
 * Where only consequences are printed, the first of them; null for an empty log.
 */
export function rootOf(cases: readonly ReadFailure[]): number | null {
  const tiers = [isPlainCause, isUncertainCause, () => true];
  const candidates = tiers.map((keep) => indices(cases, keep)).find((found) => found.length > 0) ?? [];
  const timed = comparableTimes(candidates.map((index) => cases[index]));
  return candidates.reduce<number | null>((best, index) => {
    if (best === null) return index;
    return isEarlier(cases[index], cases[best], timed) ? index : best;
  }, null);
}

/**
 * The cases that are worth telling: an error of the program beside a failure of memory, card or communication is what
 * that failure ended in, or one that was handled before.
 */
export function explained(cases: readonly ReadFailure[]): readonly ReadFailure[] {
  return cases.some(isPlainCause)
    ? cases.filter(({ story }) => story !== programError && story !== 'memory-line')
    : cases;
}

/** A process that was ended from outside: by the kernel for its memory, by a launcher because another rank had failed. */
export function isKill(it: ReadFailure): boolean {
  return it.formats.every((format) => kills.has(format));
}

const kills: ReadonlySet<string> = new Set([
  'elastic-2.1-bracket',
  'elastic-2.4-glog',
  'elastic-old',
  'elastic-summary',
  'deepspeed-launch',
  'process-killed',
]);

const programError = 'program-error';

function isPlainCause(it: ReadFailure): boolean {
  return (
    it.role === 'cause' &&
    it.story !== programError &&
    it.story !== 'memory-line' &&
    it.story !== 'traceback' &&
    !isKill(it)
  );
}

function isUncertainCause(it: ReadFailure): boolean {
  return it.role === 'cause' && it.story !== 'traceback';
}

function indices(cases: readonly ReadFailure[], keep: (it: ReadFailure) => boolean): number[] {
  return cases.flatMap((it, index) => (keep(it) ? [index] : []));
}

function comparableTimes(candidates: readonly (ReadFailure | undefined)[]): boolean {
  const clocks = new Set(candidates.map((it) => it?.time?.clock ?? null));
  return clocks.size === 1 && !clocks.has(null);
}

function isEarlier(a: ReadFailure | undefined, b: ReadFailure | undefined, timed: boolean): boolean {
  if (a === undefined || b === undefined) return false;
  // Times of a traceback are those of the last line above it, so a difference below a second says nothing.
  const seconds = timed ? (a.time?.seconds ?? 0) - (b.time?.seconds ?? 0) : 0;
  return Math.abs(seconds) > 1 ? seconds < 0 : a.line < b.line;
}
