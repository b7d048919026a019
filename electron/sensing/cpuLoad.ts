/**
 * How busy the processor is. On Linux from /proc/stat: systeminformation's own way runs a shell for each answer and
 * waits for it (`execSync` in its currentLoad), which would hold up every tick.
 */
import { currentLoad } from 'systeminformation';
import { readProcFile } from './procfs';

export interface CpuReading {
  /** Null at the first reading, as a share needs two. */
  readonly cpuPercent: number | null;
  readonly cpuCount: number | null;
}

const unknown: CpuReading = { cpuPercent: null, cpuCount: null };

export class CpuLoad {
  private before: CpuTimes | null = null;

  async read(): Promise<CpuReading> {
    return process.platform === 'linux' ? this.readLinux() : this.readElsewhere();
  }

  private readLinux(): CpuReading {
    const text = readProcFile('/proc/stat');
    const now = text.ok ? parseCpuTimes(text.value) : null;
    const before = this.before;
    this.before = now;
    if (now === null) return unknown;
    return { cpuPercent: before === null ? null : busyPercent(before, now), cpuCount: now.count };
  }

  /** The first answer is the mean since the machine started and is left out. */
  private async readElsewhere(): Promise<CpuReading> {
    const load = await currentLoad().catch(() => null);
    if (load === null) return unknown;
    const isFirst = this.before === null;
    this.before = { busy: 0, total: 0, count: load.cpus.length };
    return { cpuPercent: isFirst ? null : load.currentLoad, cpuCount: load.cpus.length };
  }
}

/** Clock ticks of all processors since the machine started. */
export interface CpuTimes {
  readonly busy: number;
  readonly total: number;
  readonly count: number;
}

/**
 * The times in /proc/stat (user nice system idle iowait irq softirq steal, then guest times that user has in it); null
 * for another text. https://man7.org/linux/man-pages/man5/proc_stat.5.html
 */
export function parseCpuTimes(text: string): CpuTimes | null {
  const fields = /^cpu +(\d+(?: \d+){3,})/m.exec(text)?.[1]?.split(' ').slice(0, 8).map(Number);
  if (fields === undefined) return null;
  const total = fields.reduce((sum, ticks) => sum + ticks, 0);
  const idle = (fields[3] ?? 0) + (fields[4] ?? 0);
  return { busy: total - idle, total, count: text.match(/^cpu\d/gm)?.length ?? 1 };
}

/** The busy share between two readings, 0 to 100; null where no time has passed or a counter went back. */
export function busyPercent(before: CpuTimes, now: CpuTimes): number | null {
  const total = now.total - before.total;
  const busy = now.busy - before.busy;
  return total <= 0 || busy < 0 ? null : Math.min(100, (100 * busy) / total);
}
