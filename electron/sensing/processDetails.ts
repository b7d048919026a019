/** What /proc says of one process beside `stat`: what hardly changes is read at the start, the rest every ten seconds. */
import {
  parseCgroup,
  parseCommand,
  parseIoBytes,
  parseRankEnvironment,
  parseStatusUid,
} from '../../shared/jobs/procStat';
import type { FactGroup, RankEnvironment, Unreadable } from '../../shared/jobs/types';
import { spreadDue } from './cadence';
import { readProcFile, readProcLink, type Read } from './procfs';

export interface ProcessDetails {
  readonly uid: number | null;
  readonly command: readonly string[] | null;
  readonly workingFolder: string | null;
  readonly cgroup: string | null;
  readonly environment: RankEnvironment | null;
  readonly ioBytes: number | null;
  readonly unreadable: readonly Unreadable[];
}

/**
 * A process that was just forked still shows its parent's command line and environment until it runs its own program,
 * so a first reading is soon followed by a second, which stays.
 */
const secondReadingMs = 2000;
const againMs = 10_000;

interface Entry {
  readonly startTime: number;
  readonly dueAt: number;
  readonly isFinal: boolean;
  readonly details: ProcessDetails;
}

export class ProcessDetailsReader {
  private readonly known = new Map<number, Entry>();

  constructor(private readonly procFolder: string) {}

  of(pid: number, startTime: number, now: number): ProcessDetails {
    const entry = this.known.get(pid);
    const same = entry !== undefined && entry.startTime === startTime ? entry : null;
    if (same !== null && now < same.dueAt) return same.details;
    const details = this.read(pid, same !== null && same.isFinal ? same.details : null);
    const dueAt = same === null ? now + secondReadingMs : spreadDue(pid, againMs, now);
    this.known.set(pid, { startTime, dueAt, isFinal: same !== null, details });
    return details;
  }

  /** Forgets all but these. */
  keepOnly(pids: ReadonlySet<number>): void {
    for (const pid of this.known.keys()) if (!pids.has(pid)) this.known.delete(pid);
  }

  /** With `before`, only what changes while a program runs: the title that it gives itself, and what it has read. */
  private read(pid: number, before: ProcessDetails | null): ProcessDetails {
    const folder = `${this.procFolder}/${pid}`;
    const unreadable: Unreadable[] = [];
    const value = <Raw, Value>(
      facts: FactGroup,
      read: Read<Raw>,
      parse: (raw: Raw) => Value,
    ): Value | null => {
      if (read.ok) return parse(read.value);
      unreadable.push({ facts, reason: read.reason });
      return null;
    };
    const changing = {
      command: value('command', readProcFile(`${folder}/cmdline`), parseCommand),
      ioBytes: value('inputOutput', readProcFile(`${folder}/io`), parseIoBytes),
    };
    if (before !== null) {
      const kept = before.unreadable.filter(({ facts }) => facts !== 'command' && facts !== 'inputOutput');
      return { ...before, ...changing, unreadable: [...kept, ...unreadable] };
    }
    return {
      ...changing,
      uid: value('process', readProcFile(`${folder}/status`), parseStatusUid),
      workingFolder: value('workingFolder', readProcLink(`${folder}/cwd`), (path) => path),
      cgroup: value('cgroup', readProcFile(`${folder}/cgroup`), parseCgroup),
      environment: value('environment', readProcFile(`${folder}/environ`), parseRankEnvironment),
      unreadable,
    };
  }
}
