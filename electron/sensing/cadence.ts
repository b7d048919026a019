/**
 * When something that is read every `periodMs` is due again: between half a period and a whole one from now, at a
 * moment that depends on the pid, so that no tick has to read everything.
 */
export function spreadDue(pid: number, periodMs: number, now: number): number {
  return now + periodMs * (0.5 + ((pid * 0.618) % 1) / 2);
}
