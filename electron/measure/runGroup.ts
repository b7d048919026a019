/** Runs a program of the person's as a whole: with a time limit, a cap on what it may print, and an end that leaves no process. */
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProgramEnd } from '../../shared/measure/outcome';
import { deathGuard } from '../programs/programCall';
import { endMarked, signalAll } from './markedProcesses';

export interface GroupCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** The whole environment, with the mark in it. */
  readonly environment: NodeJS.ProcessEnv;
  readonly mark: string;
}

export interface GroupLimits {
  readonly timeoutMs: number;
  /** What may be printed in all. */
  readonly maxBytes: number;
  /** How long it may take to end by itself when it was asked to. */
  readonly graceMs: number;
}

export interface RunningGroup {
  /** Resolves when no process of it is left; never rejects. */
  readonly ended: Promise<ProgramEnd>;
  /** Asks it to end, and ends what is left after the grace: that of the limits where none is given. */
  stop(graceMs?: number): void;
}

/** The words that are run: where setpriv is there, the kernel asks the program to end when Headroom is gone. */
export function guardedWords(command: string, args: readonly string[]): readonly [string, ...string[]] {
  const guard = deathGuard();
  // TERM, not KILL: torchrun then ends its ranks, which a killed one would leave behind.
  return guard === null ? [command, ...args] : [guard, '--pdeathsig', 'TERM', '--', command, ...args];
}

export function runGroup(
  call: GroupCall,
  limits: GroupLimits,
  onOutput: (text: string) => void,
): RunningGroup {
  const [command, ...args] = guardedWords(call.command, call.args);
  const child = spawn(command, args, {
    cwd: call.folder,
    env: call.environment,
    // Nothing can be answered: a question of the program's ends it.
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  let reason: 'stopped' | 'timed-out' | 'flooded' | null = null;
  let forced: NodeJS.Timeout | null = null;
  const end = (why: 'stopped' | 'timed-out' | 'flooded', graceMs = limits.graceMs): void => {
    const { exitCode, pid, signalCode } = child;
    // A pid whose process has ended may be another's by now.
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    if (reason === null) void signalAll(pid, call.mark, 'SIGTERM');
    reason ??= why;
    // A second wish to end it may be less patient.
    if (forced !== null) clearTimeout(forced);
    forced = setTimeout(() => void signalAll(pid, call.mark, 'SIGKILL'), graceMs);
  };
  let bytes = 0;
  const take = (chunk: string): void => {
    bytes += chunk.length;
    if (bytes <= limits.maxBytes) onOutput(chunk);
    else if (reason === null) end('flooded');
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', take);
  const timer = setTimeout(() => end('timed-out'), limits.timeoutMs);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const exited = new Promise<ProgramEnd>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve({ kind: 'not-started', code: error.code ?? error.message }),
    );
    child.once('exit', (exitCode, signal) => resolve({ kind: 'exited', exitCode, signal }));
  });
  const ended = exited.then(async (programEnd): Promise<ProgramEnd> => {
    clearTimeout(timer);
    if (forced !== null) clearTimeout(forced);
    if (programEnd.kind === 'not-started') return programEnd;
    await endRest(call.mark);
    await Promise.race([closed, pause(drainMs)]);
    return reason === null ? programEnd : { kind: reason };
  });
  return { ended, stop: (graceMs) => end('stopped', graceMs) };
}

/** A pipe that something else holds open is not waited for. */
const drainMs = 2000;
const roundMs = 100;
/** A process that waits inside the driver cannot be ended: after so many rounds it is left to the kernel. */
const rounds = 50;

/** Ends what the program left: ranks of a launcher that died, loader workers, what it started in the background. */
async function endRest(mark: string): Promise<void> {
  for (let round = 0; round < rounds && (await endMarked(mark)) > 0; round += 1) await pause(roundMs);
}
