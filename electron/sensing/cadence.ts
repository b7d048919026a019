/** The time of a look, and how rarely things are read that need not be fresh: 1, or more while nobody looks. */
export interface ReadingMoment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What every period is multiplied by. What was last read at a slower pace is due at once when it is 1 again. */
  readonly slowness: number;
}

/**
 * When something that is read every `periodMs` is due again: between half a period and a whole one from now, at a
 * moment that depends on the pid, so that no tick has to read everything.
 */
export function spreadDue(pid: number, periodMs: number, now: number): number {
  return now + periodMs * (0.5 + ((pid * 0.618) % 1) / 2);
}
