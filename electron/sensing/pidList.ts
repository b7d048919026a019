/**
 * Which processes there are. The folder /proc is read again only when it can hold others than before: every new process
 * or thread moves the number that the kernel gave out last (`/proc/sys/kernel/ns_last_pid`), and every one that goes
 * lowers the count of processes, which is the link count of /proc itself (proc_root_getattr in the kernel's
 * fs/proc/root.c). Two small questions instead of a list of hundreds, each tick.
 */
import { statSync } from 'node:fs';
import { KeptFile, listPids } from './procfs';

/** The list is read again after this time whatever the kernel says of it. */
const doubtMs = 5000;

export class PidList {
  private pids: readonly number[] = [];
  private mark: string | null = null;
  private listedAt = -Infinity;
  private readonly lastPid: KeptFile | null;

  constructor(private readonly procFolder: string) {
    this.lastPid = KeptFile.open(`${procFolder}/sys/kernel/ns_last_pid`);
  }

  /** The pids at `now` (milliseconds); the same value as before where none came or went. */
  read(now: number): readonly number[] {
    // Asked before the list is read, so that what changes meanwhile makes the next mark another one.
    const mark = this.readMark();
    const isKnown = mark !== null && mark === this.mark && Math.abs(now - this.listedAt) < doubtMs;
    if (isKnown) return this.pids;
    this.mark = mark;
    this.listedAt = now;
    const pids = listPids(this.procFolder);
    if (!isSameList(pids, this.pids)) this.pids = pids;
    return this.pids;
  }

  /** Null where this kernel does not tell, as in some sandboxes. */
  private readMark(): string | null {
    const lastPid = this.lastPid?.read() ?? null;
    if (lastPid === null) return null;
    try {
      return `${lastPid.trim()} ${statSync(this.procFolder).nlink}`;
    } catch {
      // The folder has gone, as in a test's end: listing it tells as much.
      return null;
    }
  }
}

function isSameList(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((pid, at) => pid === right[at]);
}
