import { setFlagsFromString } from 'node:v8';

/** Bytecode of one function, in bytes, that runs before V8 looks whether to optimise it: seven times V8's own number. */
const patientBudgetBytes = 1_000_000;

/**
 * Makes V8 careful with processor time, for programs that read once a second and do little else. Two of its habits cost more there
 * than the readings do:
 * - It collects all garbage when there is little to do, to give some MiB back to the system (memory-reducer.cc in src/heap): 20 to
 *   40 ms each, several times within the first minute. What piles up is collected all the same.
 * - It compiles again and better what has run a few hundred times. Here that is never paid back: in the first minute of `watch` it was
 *   half of all processor time, and later readings were no cheaper for it. What runs hot, as on machines with many cards and
 *   processes, is still compiled (tiering-manager.cc in src/execution).
 * Node and Electron leave V8's flags changeable after the start: https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function calmV8(): void {
  setFlagsFromString('--no-memory-reducer');
  if (hasInterruptBudget(process.versions.v8)) setFlagsFromString(`--interrupt-budget=${patientBudgetBytes}`);
}

/**
 * Whether V8 of this version knows the flag; where it does not, it says so on stderr. Node 18 and 20 (up to V8 11.3) do, Electron 25
 * (11.4) counts invocations instead, which was not measured.
 */
export function hasInterruptBudget(v8Version: string): boolean {
  const [major = 0, minor = 0] = v8Version.split('.').map(Number);
  return major < 11 || (major === 11 && minor <= 3);
}
