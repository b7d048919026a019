/**
 * The processes of a Linux machine as far as they matter here: every `stat` each tick, everything else only for
 * processes on cards and their relatives. Identity is pid and start time; nothing is remembered across a reused pid.
 */
import { parseProcStat, type ProcStat } from '../../shared/jobs/procStat';
import type { ProcessFacts, Unreadable, UnreadableReason } from '../../shared/jobs/types';
import { readKernelConstants, type KernelConstants } from './kernelConstants';
import { OpenFilesReader } from './openFiles';
import { ProcessDetailsReader } from './processDetails';
import { listPids, readProcFile, readProcLink } from './procfs';
import { relativesOf } from './relatives';
import { UserNames } from './users';

export interface ProcessQuestion {
  /** The pids that nvidia-smi lists. */
  readonly pidsOnCards: ReadonlySet<number>;
  /** Memory is in use that no listed process holds: look at every process's open files now. */
  readonly suspicious: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface ProcessReading {
  /** Processes on cards or holding a card's device file, and their relatives; those that are gone too, by pid alone. */
  readonly facts: readonly ProcessFacts[];
  readonly topByMemory: readonly {
    readonly pid: number;
    readonly name: string;
    readonly residentBytes: number;
  }[];
  /** Headroom sees the whole machine's processes, not only those of its container. */
  readonly seesAll: boolean;
}

/** What reads processes on one operating system. */
export interface ProcessTable {
  read(question: ProcessQuestion): ProcessReading;
}

const topCount = 8;
/** A kernel thread is looked at again after so many ticks, in case its pid has passed to another process. */
const kernelThreadTicks = 30;
const kernelThreadParent = 2;
/** The inode of the machine's first pid namespace (PROC_PID_INIT_INO in the kernel's proc_ns.h). */
const firstPidNamespace = 'pid:[4026531836]';

export interface LinuxPaths {
  readonly procFolder: string;
  /** What the cards' device files begin with. */
  readonly devicePrefix: string;
}

export class LinuxProcessTable implements ProcessTable {
  private readonly kernel: KernelConstants;
  private readonly details: ProcessDetailsReader;
  private readonly openFiles: OpenFilesReader;
  private readonly users = new UserNames();
  private readonly seesAll: boolean;
  private readonly kernelThreads = new Map<number, number>();
  private cpuBefore = new Map<number, { startTime: number; cpuTicks: number }>();
  private readBefore = 0;
  private tick = 0;

  constructor(private readonly paths: LinuxPaths) {
    this.kernel = readKernelConstants(paths.procFolder);
    this.details = new ProcessDetailsReader(paths.procFolder);
    this.openFiles = new OpenFilesReader(paths.procFolder, paths.devicePrefix);
    const namespace = readProcLink(`${paths.procFolder}/self/ns/pid`);
    this.seesAll = !namespace.ok || namespace.value === firstPidNamespace;
  }

  read({ pidsOnCards, suspicious, now }: ProcessQuestion): ProcessReading {
    this.tick += 1;
    const sinceLastMs = this.readBefore === 0 ? Infinity : now - this.readBefore;
    const stats = this.readStats();
    const processes = [...stats.values()];
    this.openFiles.update(processes, pidsOnCards, suspicious, now, sinceLastMs);
    const near = relativesOf(stats, [...pidsOnCards, ...this.openFiles.holders(processes)]);
    const facts = [...near].flatMap((pid) => {
      const stat = stats.get(pid);
      return stat === undefined ? [] : [this.factsOf(stat, now, sinceLastMs)];
    });
    const missing = [...pidsOnCards].filter((pid) => !stats.has(pid));
    this.details.keepOnly(near);
    this.cpuBefore = new Map(processes.map(({ pid, startTime, cpuTicks }) => [pid, { startTime, cpuTicks }]));
    this.readBefore = now;
    return {
      facts: [
        ...facts,
        ...missing.map((pid) => absentProcess(pid, this.seesAll ? 'gone' : 'otherNamespace')),
      ],
      topByMemory: this.topByMemory(processes),
      seesAll: this.seesAll,
    };
  }

  private readStats(): ReadonlyMap<number, ProcStat> {
    const stats = new Map<number, ProcStat>();
    for (const pid of listPids(this.paths.procFolder)) {
      const nextLook = this.kernelThreads.get(pid);
      if (nextLook !== undefined && this.tick < nextLook) continue;
      const text = readProcFile(`${this.paths.procFolder}/${pid}/stat`);
      const stat = text.ok ? parseProcStat(text.value) : null;
      if (stat === null) continue;
      if (pid === kernelThreadParent || stat.parentPid === kernelThreadParent)
        this.kernelThreads.set(pid, this.tick + kernelThreadTicks + (pid % kernelThreadTicks));
      else {
        this.kernelThreads.delete(pid);
        stats.set(pid, stat);
      }
    }
    return stats;
  }

  private factsOf(stat: ProcStat, now: number, sinceLastMs: number): ProcessFacts {
    const details = this.details.of(stat.pid, stat.startTime, now);
    const files = this.openFiles.of(stat);
    const refusedFiles: readonly Unreadable[] =
      files.reason === null ? [] : [{ facts: 'openFiles', reason: files.reason }];
    const { ticksPerSecond, pageBytes, bootTime } = this.kernel;
    return {
      pid: stat.pid,
      startTime: stat.startTime,
      uid: details.uid,
      user: details.uid === null ? null : this.users.nameOf(details.uid, now),
      parentPid: stat.parentPid,
      processGroup: stat.processGroup,
      session: stat.session,
      terminal: stat.terminal,
      state: stat.state,
      name: stat.name,
      command: details.command,
      workingFolder: details.workingFolder,
      startedAt: bootTime === null ? null : bootTime + stat.startTime / ticksPerSecond,
      residentBytes: stat.residentPages * pageBytes,
      cpuPercent: this.cpuPercent(stat, sinceLastMs),
      cpuSeconds: stat.cpuTicks / ticksPerSecond,
      ioBytes: details.ioBytes,
      cgroup: details.cgroup,
      openDevices: files.devices,
      writesCheckpoint: files.writesCheckpoint,
      environment: details.environment,
      unreadable: [...details.unreadable, ...refusedFiles],
    };
  }

  /** The share of one core since the last tick; null at the first sight of a process. */
  private cpuPercent({ pid, startTime, cpuTicks }: ProcStat, sinceLastMs: number): number | null {
    const before = this.cpuBefore.get(pid);
    if (before === undefined || before.startTime !== startTime || sinceLastMs < 50) return null;
    const seconds = (cpuTicks - before.cpuTicks) / this.kernel.ticksPerSecond;
    return Math.max(0, (100_000 * seconds) / sinceLastMs);
  }

  private topByMemory(processes: readonly ProcStat[]): ProcessReading['topByMemory'] {
    return [...processes]
      .sort((a, b) => b.residentPages - a.residentPages)
      .slice(0, topCount)
      .map(({ pid, name, residentPages }) => ({
        pid,
        name,
        residentBytes: residentPages * this.kernel.pageBytes,
      }));
  }
}

/** All that is known of a process that nvidia-smi lists and the operating system does not. */
export function absentProcess(pid: number, reason: UnreadableReason): ProcessFacts {
  return {
    pid,
    startTime: null,
    uid: null,
    user: null,
    parentPid: null,
    processGroup: null,
    session: null,
    terminal: null,
    state: 'unknown',
    name: String(pid),
    command: null,
    workingFolder: null,
    startedAt: null,
    residentBytes: null,
    cpuPercent: null,
    cpuSeconds: null,
    ioBytes: null,
    cgroup: null,
    openDevices: null,
    writesCheckpoint: null,
    environment: null,
    unreadable: [{ facts: 'process', reason }],
  };
}
