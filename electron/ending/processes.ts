/**
 * The few things that ending needs of the operating system, behind one interface: who a pid is right now, and sending
 * it one signal. Linux reads /proc; Windows asks the system's own tools (see windowsProcesses.ts).
 */
import { readFileSync } from 'node:fs';
import type { EndingSignal } from '../../shared/contract/ending';
import { parseProcStat, parseStatusUid } from '../../shared/jobs/procStat';
import type { ProcessState } from '../../shared/jobs/types';
import { errorCode } from '../errors';

/** A process as it is at this moment; null where none has that pid, `unreadable` where it cannot be known. */
export type Identity =
  | { readonly startTime: number; readonly uid: number | null; readonly state: ProcessState }
  | 'unreadable'
  | null;

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
      // The folder's owner says less: it is root for every process that may not be dumped.
      const uid = parseStatusUid(readFileSync(`/proc/${pid}/status`, 'utf8'));
      return { startTime: stat.startTime, uid, state: stat.state };
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

/** Where neither way is offered nothing can be identified, so nothing is ever ended. */
export const noProcesses: ProcessControl = { identify: () => 'unreadable', signal: () => 'refused' };

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(errorCode(error) ?? '');
}
