import { readFileSync } from 'node:fs';

/** Stands before the fuses in every Electron (https://www.electronjs.org/docs/latest/tutorial/fuses#the-hard-way). */
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
type FuseState = 'on' | 'off' | 'unknown';

export interface Fuses {
  readonly runAsNode: FuseState;
  readonly cookieEncryption: FuseState;
  readonly nodeOptionsEnvironmentVariable: FuseState;
  readonly nodeCliInspectArguments: FuseState;
  readonly onlyLoadAppFromAsar: FuseState;
}

/** How the fuses of an Electron program are set. */
export function readFuses(program: string): Fuses {
  const bytes = readFileSync(program);
  const wire = bytes.subarray(bytes.indexOf(sentinel) + sentinel.length + 2); // Version and length come first.
  const stateOf = (place: number): FuseState => {
    const state = String.fromCharCode(wire[place] ?? 0);
    return state === '1' ? 'on' : state === '0' ? 'off' : 'unknown';
  };
  return {
    runAsNode: stateOf(0),
    cookieEncryption: stateOf(1),
    nodeOptionsEnvironmentVariable: stateOf(2),
    nodeCliInspectArguments: stateOf(3),
    onlyLoadAppFromAsar: stateOf(5),
  };
}
