import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 careful with processor time, for programs that read once a second and do little else. It collects all garbage when
 * there is little to do, to give some MiB back to the system (memory-reducer.cc in src/heap): 20 to 40 ms each, several times
 * within the first minute, more than the readings cost. What piles up is collected all the same.
 * Node and Electron leave V8's flags changeable after the start: https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function calmV8(): void {
  setFlagsFromString('--no-memory-reducer');
}
