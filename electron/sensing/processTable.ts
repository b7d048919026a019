/**
 * The processes of a Linux machine as far as they matter here: all of them by their `stat`, everything else only for
 * processes on cards and their relatives. Identity is pid and start time; nothing is remembered across a reused pid.
 */
import type { ProcessFacts, Unreadable, UnreadableReason } from '../../shared/jobs/types';
import { wholeWorld, type HiddenPart, type World } from '../../shared/jobs/world';
import type { ReadingMoment } from './cadence';
import { readKernelConstants, type KernelConstants } from './kernelConstants';
import { noOpenFiles, OpenFilesReader, type OpenFiles } from './openFiles';
import { ProcessDetailsReader, type ProcessDetails } from './processDetails';
import { relativesOf } from './relatives';
import { isSameSet } from './sameSet';
import { hasEnded, StatReader, type ProcessStat, type StatReading } from './statReader';
import { UserNames } from './users';
import { readVisibleWorld } from './visibleWorld';

export interface ProcessQuestion {
  /** The pids that nvidia-smi lists. */
  readonly pidsOnCards: ReadonlySet<number>;
  /** Memory is in use that no listed process holds: look at every process's open files now. */
  readonly suspicious: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How many times as rarely things are read that need not be fresh: 1 while somebody looks. */
  readonly slowness: number;
}

export interface ProcessReading {
  /** Processes on cards or holding a card's device file, and their relatives; those that are gone too, by pid alone. */
  readonly facts: readonly ProcessFacts[];
  readonly topByMemory: readonly {
    readonly pid: number;
    readonly name: string;
    readonly residentBytes: number;
  }[];
  /** How much of the machine's processes can be seen. */
  readonly world: World;
}

/** What reads processes on one operating system. */
export interface ProcessTable {
  read(question: ProcessQuestion): ProcessReading;
}

/** A process's facts with what they were made of. */
interface KnownFacts {
  readonly stat: ProcessStat;
  readonly details: ProcessDetails;
  readonly files: OpenFiles;
  readonly facts: ProcessFacts;
}

const topCount = 8;
/** How long nvidia-smi may go on to list a process that has ended before that is worth telling. */
const justEndedMs = 3000;
/** A mount of /proc may be changed, which is rare. */
const worldAgainMs = 60_000;

export interface LinuxPaths {
  readonly procFolder: string;
  /** What the cards' device files begin with. */
  readonly devicePrefix: string;
}

export class LinuxProcessTable implements ProcessTable {
  private readonly kernel: KernelConstants;
  private readonly stats: StatReader;
  private readonly details: ProcessDetailsReader;
  private readonly openFiles: OpenFilesReader;
  private readonly users = new UserNames();
  private world: World = wholeWorld;
  private worldReadAt = -Infinity;
  private seeds: ReadonlySet<number> = new Set();
  private near: ReadonlySet<number> = new Set();
  /** The facts of the last look: most processes are not read anew in a tick, and their facts stay the same value. */
  private known = new Map<number, KnownFacts>();
  /** When each process on a card was last there. */
  private readonly seenOnCards = new Map<number, number>();

  constructor(private readonly paths: LinuxPaths) {
    this.kernel = readKernelConstants(paths.procFolder);
    this.stats = new StatReader(paths.procFolder, this.kernel.ticksPerSecond);
    this.details = new ProcessDetailsReader(paths.procFolder);
    this.openFiles = new OpenFilesReader(paths.procFolder, paths.devicePrefix);
  }

  read({ pidsOnCards, suspicious, now, slowness }: ProcessQuestion): ProcessReading {
    const moment = { now, slowness };
    const reading = this.stats.read(pidsOnCards, this.near, moment);
    const { stats, arrived, ended } = reading;
    // What has ended but was not collected yet has closed its files, whatever was read of it before.
    const living = arrived.filter((stat) => !hasEnded(stat));
    this.openFiles.update({ arrived: living, ended }, pidsOnCards, suspicious, moment);
    this.lookForRelatives(reading, new Set([...pidsOnCards, ...this.openFiles.holders()]));
    const known = new Map<number, KnownFacts>();
    for (const pid of this.near) {
      const stat = stats.get(pid);
      if (stat !== undefined) known.set(pid, this.knownFacts(stat, moment));
    }
    this.known = known;
    const facts = [...known.values()].map((one) => one.facts);
    const world = this.worldAt(now, reading.refused);
    const missing = this.missingPids(pidsOnCards, stats, now);
    return {
      facts: [...facts, ...missing.map((pid) => absentProcess(pid, whyAbsent(world)))],
      topByMemory: this.topByMemory(stats.values()),
      world,
    };
  }

  private worldAt(now: number, refused: number): World {
    if (now - this.worldReadAt >= worldAgainMs) {
      this.worldReadAt = now;
      this.world = readVisibleWorld(this.paths.procFolder);
    }
    if (refused === 0) return this.world;
    return { ...this.world, hidden: new Set<HiddenPart>([...this.world.hidden, 'someProcesses']) };
  }

  /** Who is near a card: the same as at the last look unless kin or seeds are others. */
  private lookForRelatives({ stats, kinChanged }: StatReading, seeds: ReadonlySet<number>): void {
    if (!kinChanged && isSameSet(seeds, this.seeds)) return;
    this.seeds = seeds;
    this.near = relativesOf(stats, seeds);
    this.details.keepOnly(this.near);
  }

  /**
   * The pids that nvidia-smi lists and that are not there. Its list is a moment old, so a process that was there and
   * has ended counts only when it goes on to be listed.
   */
  private missingPids(
    pidsOnCards: ReadonlySet<number>,
    stats: ReadonlyMap<number, ProcessStat>,
    now: number,
  ): readonly number[] {
    for (const pid of this.seenOnCards.keys()) if (!pidsOnCards.has(pid)) this.seenOnCards.delete(pid);
    for (const pid of pidsOnCards) if (stats.has(pid)) this.seenOnCards.set(pid, now);
    return [...pidsOnCards].filter(
      (pid) => !stats.has(pid) && now - (this.seenOnCards.get(pid) ?? -Infinity) > justEndedMs,
    );
  }

  private knownFacts(stat: ProcessStat, moment: ReadingMoment): KnownFacts {
    const details = this.details.of(stat, moment);
    const files = hasEnded(stat) ? noOpenFiles : this.openFiles.of(stat);
    const user = details.uid === null ? null : this.users.nameOf(details.uid, moment.now);
    const before = this.known.get(stat.pid);
    const isSame =
      before !== undefined &&
      before.stat === stat &&
      before.details === details &&
      before.files === files &&
      before.facts.user === user;
    return isSame ? before : { stat, details, files, facts: this.factsOf(stat, details, files, user) };
  }

  private factsOf(
    stat: ProcessStat,
    details: ProcessDetails,
    files: OpenFiles,
    user: string | null,
  ): ProcessFacts {
    const refusedFiles: readonly Unreadable[] =
      files.reason === null ? [] : [{ facts: 'openFiles', reason: files.reason }];
    const { ticksPerSecond, pageBytes, bootTime } = this.kernel;
    return {
      pid: stat.pid,
      startTime: stat.startTime,
      uid: details.uid,
      user,
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
      cpuPercent: stat.cpuPercent,
      cpuSeconds: stat.cpuTicks / ticksPerSecond,
      ioBytes: details.ioBytes,
      cgroup: details.cgroup,
      openDevices: files.devices,
      spawnFamily: details.spawnFamily,
      writesCheckpoint: files.writesCheckpoint,
      environment: details.environment,
      unreadable: [...details.unreadable, ...refusedFiles],
    };
  }

  private topByMemory(processes: Iterable<ProcessStat>): ProcessReading['topByMemory'] {
    return largest(processes, topCount).map(({ pid, name, residentPages }) => ({
      pid,
      name,
      residentBytes: residentPages * this.kernel.pageBytes,
    }));
  }
}

/** The processes with the most memory, the largest first: a few of hundreds, so they are not all sorted. */
function largest(processes: Iterable<ProcessStat>, count: number): readonly ProcessStat[] {
  const found: ProcessStat[] = [];
  for (const one of processes) {
    const least = found[count - 1];
    if (least !== undefined && one.residentPages <= least.residentPages) continue;
    const place = found.findIndex(({ residentPages }) => residentPages < one.residentPages);
    found.splice(place < 0 ? found.length : place, 0, one);
    found.length = Math.min(found.length, count);
  }
  return found;
}

/** A pid without a process is gone only where every process would be seen. */
function whyAbsent({ hidden }: World): UnreadableReason {
  if (hidden.has('otherNamespaces')) return 'otherNamespace';
  return hidden.size === 0 ? 'gone' : 'permission';
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
    spawnFamily: null,
    writesCheckpoint: null,
    environment: null,
    unreadable: [{ facts: 'process', reason }],
  };
}
