/**
 * The `stat` of every process but kernel threads, as fresh as it matters: each tick for what is on a card, every few
 * seconds for its relatives, more rarely for everything else. New pids are read at once, and what is gone is gone at
 * once. A process far from any card whose pid is reused is taken for the old one until it is read again.
 */
import { parseProcStat, type ProcStat } from '../../shared/jobs/procStat';
import { spreadDue } from './cadence';
import { listPids, readProcFile } from './procfs';

export interface ProcessStat extends ProcStat {
  /** The share of one core between the last two readings; null after the first. */
  readonly cpuPercent: number | null;
}

interface Entry {
  readonly stat: ProcessStat;
  readonly readAt: number;
}

const nearMs = 5000;
const farMs = 20_000;
/** Kernel threads never come near a card. */
const kernelThreadMs = 30_000;
const kernelThreadParent = 2;
/** Clock ticks are 10 ms, so a shorter time tells nothing. */
const shortestSpanMs = 50;

export class StatReader {
  private readonly known = new Map<number, Entry>();

  constructor(
    private readonly procFolder: string,
    private readonly ticksPerSecond: number,
  ) {}

  /** All processes by pid; those in `onCards` as they are now. */
  read(
    onCards: ReadonlySet<number>,
    near: ReadonlySet<number>,
    now: number,
  ): ReadonlyMap<number, ProcessStat> {
    const stats = new Map<number, ProcessStat>();
    const pids = listPids(this.procFolder);
    for (const pid of pids) {
      const entry = this.known.get(pid);
      const isDue = entry === undefined || onCards.has(pid) || isOld(entry, near.has(pid), now);
      const stat = isDue ? this.readOne(pid, now) : entry.stat;
      if (stat !== null && !isKernelThread(stat)) stats.set(pid, stat);
    }
    if (this.known.size > pids.length + 64) this.forgetGone(new Set(pids));
    return stats;
  }

  private readOne(pid: number, now: number): ProcessStat | null {
    const text = readProcFile(`${this.procFolder}/${pid}/stat`);
    const read = text.ok ? parseProcStat(text.value) : null;
    if (read === null) {
      this.known.delete(pid);
      return null;
    }
    const stat = { ...read, cpuPercent: this.cpuPercent(read, now) };
    this.known.set(pid, { stat, readAt: now });
    return stat;
  }

  private cpuPercent({ pid, startTime, cpuTicks }: ProcStat, now: number): number | null {
    const before = this.known.get(pid);
    if (before === undefined || before.stat.startTime !== startTime) return null;
    const span = now - before.readAt;
    if (span < shortestSpanMs) return before.stat.cpuPercent;
    const seconds = (cpuTicks - before.stat.cpuTicks) / this.ticksPerSecond;
    return Math.max(0, (100_000 * seconds) / span);
  }

  private forgetGone(pids: ReadonlySet<number>): void {
    for (const pid of this.known.keys()) if (!pids.has(pid)) this.known.delete(pid);
  }
}

function isOld({ stat, readAt }: Entry, isNear: boolean, now: number): boolean {
  const period = isKernelThread(stat) ? kernelThreadMs : isNear ? nearMs : farMs;
  return now >= spreadDue(stat.pid, period, readAt);
}

function isKernelThread({ pid, parentPid }: ProcStat): boolean {
  return pid === kernelThreadParent || parentPid === kernelThreadParent;
}
