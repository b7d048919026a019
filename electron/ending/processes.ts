/**
 * The few things that ending needs of the operating system, behind one interface: who a pid is right now, and sending
 * it one signal. Linux reads /proc; Windows asks the system's own tools (see windowsProcesses.ts).
 */
import { readFileSync, statSync } from 'node:fs';
import { parseProcStat } from '../../shared/jobs/procStat';
import type { ProcessState } from '../../shared/jobs/types';

/** A process as it is at this moment; null where none has that pid, `unreadable` where it cannot be known. */
export type Identity =
  { readonly startTime: number; readonly uid: number; readonly state: ProcessState } | 'unreadable' | null;

export type EndingSignal = 'SIGTERM' | 'SIGCONT' | 'SIGKILL';
export type Sent = 'sent' | 'gone' | 'refused';

export interface ProcessControl {
  identify(pid: number): Identity;
  /** Sends one signal to one pid. Never throws; another user's process is `refused`. */
  signal(pid: number, signal: EndingSignal): Sent;
}

/** The processes of this Linux machine. Both calls are a few microseconds, so identity is read right before a signal. */
export const linuxProcesses: ProcessControl = {
  identify(pid) {
    try {
      const stat = parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      if (stat === null) return 'unreadable';
      // The folder belongs to the process's effective user.
      return { startTime: stat.startTime, uid: statSync(`/proc/${pid}`).uid, state: stat.state };
    } catch (error) {
      return isCode(error, 'ENOENT', 'ESRCH') ? null : 'unreadable';
    }
  },
  signal(pid, signal) {
    // 0 and negative numbers mean groups of processes to kill(2).
    if (!Number.isSafeInteger(pid) || pid <= 1) return 'refused';
    try {
      process.kill(pid, signal);
      return 'sent';
    } catch (error) {
      return isCode(error, 'ESRCH') ? 'gone' : 'refused';
    }
  },
};

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
