/** The host beside the cards: memory, swap, processor, shared memory. Read now and then; a tick takes the newest. */
import { statfsSync } from 'node:fs';
import { hostname } from 'node:os';
import { mem } from 'systeminformation';
import type { HostReading } from '../../shared/snapshot/types';
import { parseMemoryInfo } from '../../shared/jobs/memoryInfo';
import { CpuLoad, type CpuReading } from './cpuLoad';
import { readProcFile } from './procfs';

type HostNumbers = Omit<HostReading, 'hostname' | 'topProcesses'>;

const unknown: HostNumbers = {
  memoryTotalBytes: null,
  memoryUsedBytes: null,
  memoryAvailableBytes: null,
  swapTotalBytes: null,
  swapUsedBytes: null,
  shmTotalBytes: null,
  shmUsedBytes: null,
  cpuPercent: null,
  cpuCount: null,
};
const refreshMs = 2000;
/** For /proc/stat the kernel writes a line for every processor and counts every interrupt: on large machines a millisecond. */
const cpuMs = 5000;
/** Asking a file system for its sizes makes the kernel add up the counters of all processors. */
const sharedMemoryMs = 10_000;
const sharedMemoryFolder = '/dev/shm';

export class HostReader {
  private numbers = unknown;
  private readAt = -Infinity;
  private reading: Promise<void> | null = null;
  private load: CpuReading = { cpuPercent: null, cpuCount: null };
  private cpuReadAt = -Infinity;
  private shared: Partial<HostNumbers> = {};
  private sharedReadAt = -Infinity;
  private readonly name = hostname();

  constructor(private readonly cpu: Pick<CpuLoad, 'read'> = new CpuLoad()) {}

  /** The newest reading; asks for the next one when it is due. */
  latest(topProcesses: HostReading['topProcesses'], now: number): HostReading {
    if (now - this.readAt >= refreshMs) void this.refresh(now);
    return { hostname: this.name, ...this.numbers, topProcesses };
  }

  /** Reads now; resolves when the numbers are there. */
  refresh(now: number): Promise<void> {
    this.readAt = now;
    this.reading ??= this.read().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async read(): Promise<void> {
    const memory = await readMemory();
    // A share needs two readings: the second follows soon.
    if (this.load.cpuPercent === null || this.readAt - this.cpuReadAt >= cpuMs) {
      this.cpuReadAt = this.readAt;
      this.load = await this.cpu.read();
    }
    if (this.readAt - this.sharedReadAt >= sharedMemoryMs) {
      this.sharedReadAt = this.readAt;
      this.shared = readSharedMemory();
    }
    this.numbers = { ...unknown, ...memory, ...this.shared, ...this.load };
  }
}

/** On Linux from /proc itself, at once: a promise for a file costs ten times its reading, every other second. */
async function readMemory(): Promise<Partial<HostNumbers>> {
  if (process.platform === 'linux') {
    const text = readProcFile('/proc/meminfo');
    return text.ok ? parseMemoryInfo(text.value) : {};
  }
  const memory = await orNull(mem());
  if (memory === null || memory.total === 0) return {};
  return {
    memoryTotalBytes: memory.total,
    // `used` counts the file cache, which programs can have back; what is not available is what they hold.
    memoryUsedBytes: memory.total - memory.available,
    memoryAvailableBytes: memory.available,
    swapTotalBytes: memory.swaptotal,
    swapUsedBytes: memory.swapused,
  };
}

/** At once, too: this file system lies in memory and makes nobody wait. */
function readSharedMemory(): Partial<HostNumbers> {
  if (process.platform !== 'linux') return {};
  try {
    const { blocks, bfree, bsize } = statfsSync(sharedMemoryFolder);
    return { shmTotalBytes: blocks * bsize, shmUsedBytes: (blocks - bfree) * bsize };
  } catch {
    // No such folder, as in some containers.
    return {};
  }
}

/** A host that does not tell one thing may tell the others; what fails stays unknown. */
async function orNull<Value>(value: Promise<Value>): Promise<Value | null> {
  return value.catch(() => null);
}
