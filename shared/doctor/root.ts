import type { Case } from './case';

/**
 * Index of the failure from which the others follow: the earliest one that is a cause and not a consequence. Where
 * every line has a time of one clock, time decides, because ranks write into one log out of order; else the line does.
 * Where only consequences are printed, the first of them; null for an empty log.
 */
export function rootOf(cases: readonly Case[]): number | null {
  const causes = indices(cases, (it) => it.role === 'cause' && it.story !== 'traceback');
  const candidates = causes.length > 0 ? causes : indices(cases, () => true);
  const timed = comparableTimes(candidates.map((index) => cases[index]));
  return candidates.reduce<number | null>((best, index) => {
    if (best === null) return index;
    return isEarlier(cases[index], cases[best], timed) ? index : best;
  }, null);
}

function indices(cases: readonly Case[], keep: (it: Case) => boolean): number[] {
  return cases.flatMap((it, index) => (keep(it) ? [index] : []));
}

function comparableTimes(candidates: readonly (Case | undefined)[]): boolean {
  const clocks = new Set(candidates.map((it) => it?.time?.clock ?? null));
  return clocks.size === 1 && !clocks.has(null);
}

function isEarlier(a: Case | undefined, b: Case | undefined, timed: boolean): boolean {
  if (a === undefined || b === undefined) return false;
  // Times of a traceback are those of the last line above it, so a difference below a second says nothing.
  const seconds = timed ? (a.time?.seconds ?? 0) - (b.time?.seconds ?? 0) : 0;
  return Math.abs(seconds) > 1 ? seconds < 0 : a.line < b.line;
}
