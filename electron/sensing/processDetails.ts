/** What /proc says of one process beside `stat`: what hardly changes is read at the start, the rest now and then. */
import {
  parseCgroup,
  parseCommand,
  parseIoBytes,
  parseRankEnvironment,
  parseStatusUid,
  trackerDescriptor,
} from '../../shared/jobs/procStat';
import type { FactGroup, RankEnvironment, Unreadable } from '../../shared/jobs/types';
import { spreadDue, type ReadingMoment } from './cadence';
import { readProcFile, readProcLink, type Read } from './procfs';

export interface ProcessDetails {
  readonly uid: number | null;
  readonly command: readonly string[] | null;
  readonly workingFolder: string | null;
  readonly cgroup: string | null;
  readonly environment: RankEnvironment | null;
  readonly ioBytes: number | null;
  readonly spawnFamily: string | null;
  readonly unreadable: readonly Unreadable[];
}

/**
 * A process that was just forked still shows its parent's command line and environment until it runs its own program,
 * so a first reading is soon followed by a second, which stays.
 */
const secondReadingMs = 2000;
const againMs = 10_000;
/**
 * What a process has read and written is asked only when it has used the processor since, at the latest after this time:
 * one that sleeps transfers nothing.
 */
const sleeperMs = 30_000;
/** A program may give itself another title while it runs, which is for the eye only. */
const titleMs = 30_000;

export interface RunningProcess {
  readonly pid: number;
  readonly startTime: number;
  /** Processor time used so far; only whether it changes matters. */
  readonly cpuTicks: number;
}

interface Entry {
  readonly startTime: number;
  /** When it was last looked at, and when last read. */
  readonly seenAt: number;
  readonly readAt: number;
  readonly titleReadAt: number;
  readonly isFinal: boolean;
  /** The processor time that the process had used when it was last read. */
  readonly cpuTicks: number;
  readonly details: ProcessDetails;
}

export class ProcessDetailsReader {
  private readonly known = new Map<number, Entry>();

  constructor(private readonly procFolder: string) {}

  of({ pid, startTime, cpuTicks }: RunningProcess, { now, slowness }: ReadingMoment): ProcessDetails {
    const entry = this.known.get(pid);
    const same = entry !== undefined && entry.startTime === startTime ? entry : null;
    const read = { startTime, cpuTicks, seenAt: now, readAt: now };
    if (same === null || !same.isFinal) {
      if (same !== null && now < same.seenAt + secondReadingMs) return same.details;
      const details = this.read(pid);
      this.known.set(pid, { ...read, titleReadAt: now, isFinal: same !== null, details });
      return details;
    }
    if (now < spreadDue(pid, againMs * slowness, same.seenAt)) return same.details;
    const withTitle = now >= spreadDue(pid, titleMs * slowness, same.titleReadAt);
    const sleeps = cpuTicks === same.cpuTicks && now < same.readAt + sleeperMs * slowness;
    if (sleeps && !withTitle) {
      this.known.set(pid, { ...same, seenAt: now });
      return same.details;
    }
    const details = this.readAgain(pid, same.details, withTitle);
    const titleReadAt = withTitle ? now : same.titleReadAt;
    this.known.set(pid, { ...read, titleReadAt, isFinal: true, details });
    return details;
  }

  /** Forgets all but these. */
  keepOnly(pids: ReadonlySet<number>): void {
    for (const pid of this.known.keys()) if (!pids.has(pid)) this.known.delete(pid);
  }

  private read(pid: number): ProcessDetails {
    const folder = `${this.procFolder}/${pid}`;
    const asked = new Asked();
    const command = asked.value('command', readProcFile(`${folder}/cmdline`), parseCommand);
    return {
      command,
      spawnFamily: spawnFamily(folder, command),
      ioBytes: asked.value('inputOutput', readProcFile(`${folder}/io`), parseIoBytes),
      uid: asked.value('process', readProcFile(`${folder}/status`), parseStatusUid),
      workingFolder: asked.value('workingFolder', readProcLink(`${folder}/cwd`), (path) => path),
      cgroup: asked.value('cgroup', readProcFile(`${folder}/cgroup`), parseCgroup),
      environment: asked.value('environment', readProcFile(`${folder}/environ`), parseRankEnvironment),
      unreadable: asked.refused,
    };
  }

  /** Only what changes while a program runs; the same value where nothing did. */
  private readAgain(pid: number, before: ProcessDetails, withTitle: boolean): ProcessDetails {
    const folder = `${this.procFolder}/${pid}`;
    const asked = new Asked();
    const ioBytes = asked.value('inputOutput', readProcFile(`${folder}/io`), parseIoBytes);
    const command = withTitle
      ? asked.value('command', readProcFile(`${folder}/cmdline`), parseCommand)
      : before.command;
    const read: readonly FactGroup[] = withTitle ? ['inputOutput', 'command'] : ['inputOutput'];
    const unreadable = [...before.unreadable.filter(({ facts }) => !read.includes(facts)), ...asked.refused];
    const isSame =
      ioBytes === before.ioBytes &&
      isSameCommand(command, before.command) &&
      unreadable.length === before.unreadable.length;
    return isSame ? before : { ...before, command, ioBytes, unreadable };
  }
}

/**
 * Children that Python's multiprocessing spawned name the pipe to their parent's resource tracker (`tracker_fd=5`), which
 * they all share; its inode tells two parents apart. Null for other processes, and where it may not be read.
 */
function spawnFamily(folder: string, command: readonly string[] | null): string | null {
  const descriptor = trackerDescriptor(command);
  if (descriptor === null) return null;
  const link = readProcLink(`${folder}/fd/${descriptor}`);
  return link.ok && link.value.startsWith('pipe:') ? link.value : null;
}

/** What was asked of one process: the values that could be read, and what was refused. */
class Asked {
  readonly refused: Unreadable[] = [];

  value<Raw, Value>(facts: FactGroup, read: Read<Raw>, parse: (raw: Raw) => Value): Value | null {
    if (read.ok) return parse(read.value);
    this.refused.push({ facts, reason: read.reason });
    return null;
  }
}

function isSameCommand(left: readonly string[] | null, right: readonly string[] | null): boolean {
  if (left === null || right === null) return left === right;
  return left.length === right.length && left.every((word, at) => word === right[at]);
}
