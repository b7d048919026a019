/**
 * The processes of a Linux machine as far as they matter here: each tick the list of pids and the `stat` of new
 * processes and of those near cards, everything else only for processes on cards and their relatives. Identity is pid and start time; nothing is remembered across a reused pid.
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
/**
 * How long the `stat` of a process far from any card may be old. One whose pid is reused meanwhile is taken for the
 * old one for as long; what is on a card or near is read each tick.
 */
const farMs = 10_000;
/** The same for kernel threads, which never come near a card. */
const kernelThreadMs = 30_000;
const kernelThreadParent = 2;
/** How long nvidia-smi may go on to list a process that has ended before that is worth telling. */
const justEndedMs = 3000;
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
  private readonly known = new Map<number, { stat: ProcStat; dueAt: number }>();
  private near: ReadonlySet<number> = new Set();
  /** When each process on a card was last there. */
  private readonly seenOnCards = new Map<number, number>();
  private cpuBefore = new Map<number, { startTime: number; cpuTicks: number }>();
  private readBefore = 0;

  constructor(private readonly paths: LinuxPaths) {
    this.kernel = readKernelConstants(paths.procFolder);
    this.details = new ProcessDetailsReader(paths.procFolder);
    this.openFiles = new OpenFilesReader(paths.procFolder, paths.devicePrefix);
    const namespace = readProcLink(`${paths.procFolder}/self/ns/pid`);
    this.seesAll = !namespace.ok || namespace.value === firstPidNamespace;
  }

  read({ pidsOnCards, suspicious, now }: ProcessQuestion): ProcessReading {
    const sinceLastMs = this.readBefore === 0 ? Infinity : now - this.readBefore;
    const stats = this.readStats(pidsOnCards, suspicious, now);
    const processes = [...stats.values()];
    this.openFiles.update(processes, suspicious, now);
    this.near = relativesOf(stats, [...pidsOnCards, ...this.openFiles.holders(processes)]);
    const nearStats = [...this.near].flatMap((pid) => stats.get(pid) ?? []);
    const facts = nearStats.map((stat) => this.factsOf(stat, now, sinceLastMs));
    const missing = this.missingPids(pidsOnCards, stats, now);
    this.details.keepOnly(this.near);
    this.cpuBefore = new Map(nearStats.map(({ pid, startTime, cpuTicks }) => [pid, { startTime, cpuTicks }]));
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

  /**
   * The pids that nvidia-smi lists and that are not there. Its list is a moment old, so a process that was there and
   * has ended counts only when it goes on to be listed.
   */
  private missingPids(
    pidsOnCards: ReadonlySet<number>,
    stats: ReadonlyMap<number, ProcStat>,
    now: number,
  ): readonly number[] {
    for (const pid of this.seenOnCards.keys()) if (!pidsOnCards.has(pid)) this.seenOnCards.delete(pid);
    for (const pid of pidsOnCards) if (stats.has(pid)) this.seenOnCards.set(pid, now);
    return [...pidsOnCards].filter(
      (pid) => !stats.has(pid) && now - (this.seenOnCards.get(pid) ?? -Infinity) > justEndedMs,
    );
  }

  /** Every process but kernel threads; those near cards as they are now, the others as they were some seconds ago. */
  private readStats(
    pidsOnCards: ReadonlySet<number>,
    all: boolean,
    now: number,
  ): ReadonlyMap<number, ProcStat> {
    const stats = new Map<number, ProcStat>();
    const pids = listPids(this.paths.procFolder);
    for (const pid of pids) {
      const known = this.known.get(pid);
      const isDue = known === undefined || now >= known.dueAt || pidsOnCards.has(pid) || this.near.has(pid);
      const stat = isDue || all ? this.readStat(pid, now) : known.stat;
      if (stat !== null && !isKernelThread(stat)) stats.set(pid, stat);
    }
    if (this.known.size > pids.length + 64) this.forgetGone(new Set(pids));
    return stats;
  }

  private readStat(pid: number, now: number): ProcStat | null {
    const text = readProcFile(`${this.paths.procFolder}/${pid}/stat`);
    const stat = text.ok ? parseProcStat(text.value) : null;
    if (stat === null) {
      this.known.delete(pid);
      return null;
    }
    // Spread over the period, so that no tick has to read them all.
    const period = isKernelThread(stat) ? kernelThreadMs : farMs;
    this.known.set(pid, { stat, dueAt: now + period * (0.5 + ((pid * 0.618) % 1) / 2) });
    return stat;
  }

  private forgetGone(pids: ReadonlySet<number>): void {
    for (const pid of this.known.keys()) if (!pids.has(pid)) this.known.delete(pid);
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

function isKernelThread({ pid, parentPid }: ProcStat): boolean {
  return pid === kernelThreadParent || parentPid === kernelThreadParent;
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
