import { setFlagsFromString } from 'node:v8';

/**
 * Tells V8 not to collect all garbage just because there is little to do. It does so to give some MiB back to the
 * system (memory-reducer.cc in V8's src/heap), several times within the first minute, for 20 to 40 ms of processor time
 * each: as much as some twenty readings. What piles up is collected all the same. For programs that read once a second
 * and do nothing else. Node and Electron leave V8's flags changeable after the start for this function's sake:
 * https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function calmHeap(): void {
  setFlagsFromString('--no-memory-reducer');
}
