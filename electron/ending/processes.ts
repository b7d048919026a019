/**
 * The few things that ending needs of the operating system, behind one interface: who a pid is right now, and sending
 * it one signal. Linux reads /proc; Windows asks the system's own tools (see windowsProcesses.ts).
 */
import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { EndingSignal } from '../../shared/jobs/types';
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
  /** Who has each of these pids now, one entry a pid. Never rejects. */
  identify(pids: readonly number[]): Promise<ReadonlyMap<number, Identity>>;
  /** Sends one signal to one pid. Never rejects; another user's process is `refused`. */
  signal(pid: number, signal: EndingSignal): Promise<Sent>;
}

/** Main draws nothing meanwhile: so many take some three milliseconds, then it has its turn. */
const identifiedAtOnce = 100;

/**
 * The processes of this Linux machine. What is asked of one pid is answered in the same turn of the event loop, so between
 * its identity and its signal lie microseconds.
 */
export const linuxProcesses: ProcessControl = {
  async identify(pids) {
    const found = new Map<number, Identity>();
    for (const [place, pid] of pids.entries()) {
      if (place > 0 && place % identifiedAtOnce === 0) await turn();
      found.set(pid, identityOf(pid));
    }
    return found;
  },
  signal(pid, signal) {
    // 0 and negative numbers mean groups of processes to kill(2).
    if (!Number.isSafeInteger(pid) || pid <= 1) return Promise.resolve('refused');
    try {
      process.kill(pid, signal);
      return Promise.resolve('sent');
    } catch (error) {
      return Promise.resolve(isCode(error, 'ESRCH') ? 'gone' : 'refused');
    }
  },
};

function identityOf(pid: number): Identity {
  try {
    const stat = parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (stat === null) return 'unreadable';
    // The folder's owner says less: it is root for every process that may not be dumped.
    const uid = parseStatusUid(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return { startTime: stat.startTime, uid, state: stat.state };
  } catch (error) {
    return isCode(error, 'ENOENT', 'ESRCH') ? null : 'unreadable';
  }
}

/** Where neither way is offered nothing can be identified, so nothing is ever ended. */
export const noProcesses: ProcessControl = {
  identify: (pids) => Promise.resolve(new Map(pids.map((pid) => [pid, 'unreadable']))),
  signal: () => Promise.resolve('refused'),
};

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(errorCode(error) ?? '');
}
