/** How an outside program is started: no shell, an argument array, and an end that follows ours. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Readable } from 'node:stream';

/** A command, the arguments that come before all others, and what its environment adds. */
export interface ProgramCall {
  readonly command: string;
  readonly leadingArguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export type Child = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Starts the program. Where util-linux's setpriv is there, the kernel kills the child when this process ends, however
 * it ends: a child that prints nothing would never notice (measured: `--query-compute-apps -l` on idle cards).
 * Whether it started is told by the child's events.
 */
export function startProgram(call: ProgramCall, args: readonly string[]): Child {
  const words = [...call.leadingArguments, ...args];
  const guard = deathGuard();
  const [command, commandArgs] =
    guard === null ? [call.command, words] : [guard, ['--pdeathsig', 'KILL', '--', call.command, ...words]];
  return spawn(command, commandArgs, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Numbers and messages of nvidia-smi are read; they must not follow the user's language.
    env: { ...process.env, ...safePath(), LC_ALL: 'C', ...call.environment },
    windowsHide: true,
  });
}

/** A program named without a folder, and what it starts itself, is not looked for in the current folder either. */
function safePath(): Readonly<Record<string, string>> {
  return process.platform === 'win32' ? {} : { PATH: searchPath().join(delimiter) };
}

let foundGuard: string | null | undefined;

/** setpriv, looked up once; null where there is none. */
export function deathGuard(): string | null {
  foundGuard ??= process.platform === 'linux' ? findExecutable('setpriv', searchPath()) : null;
  return foundGuard;
}

/** The absolute folders of PATH (`.` would run whatever lies in the current folder), and those that a start from a desktop entry may lack. */
export function searchPath(): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  return process.platform === 'win32' ? folders : [...folders, '/usr/local/bin', '/usr/bin', '/bin'];
}

/** The first of the folders that holds an executable file of that name, as a path; null where none does. */
export function findExecutable(name: string, folders: readonly string[]): string | null {
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not ours to run.
    return false;
  }
}
