/** What /proc says of one process beside `stat`; what cannot change is read once, the rest every ten seconds. */
import {
  parseCgroup,
  parseCommand,
  parseIoBytes,
  parseRankEnvironment,
  parseStatusUid,
} from '../../shared/jobs/procStat';
import type { FactGroup, RankEnvironment, Unreadable } from '../../shared/jobs/types';
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

const againMs = 10_000;

export class ProcessDetailsReader {
  private readonly known = new Map<number, { startTime: number; readAt: number; details: ProcessDetails }>();

  constructor(private readonly procFolder: string) {}

  of(pid: number, startTime: number, now: number): ProcessDetails {
    const entry = this.known.get(pid);
    const same = entry !== undefined && entry.startTime === startTime ? entry : null;
    if (same !== null && now - same.readAt < againMs) return same.details;
    const details = this.read(pid, same?.details ?? null);
    this.known.set(pid, { startTime, readAt: now, details });
    return details;
  }

  /** Forgets all but these. */
  keepOnly(pids: ReadonlySet<number>): void {
    for (const pid of this.known.keys()) if (!pids.has(pid)) this.known.delete(pid);
  }

  /** The environment and the cgroup stay as they were read first; a title or a user may change. */
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
    return {
      uid: value('process', readProcFile(`${folder}/status`), parseStatusUid),
      command: value('command', readProcFile(`${folder}/cmdline`), parseCommand),
      workingFolder: value('workingFolder', readProcLink(`${folder}/cwd`), (path) => path),
      cgroup: before?.cgroup ?? value('cgroup', readProcFile(`${folder}/cgroup`), parseCgroup),
      environment:
        before?.environment ?? value('environment', readProcFile(`${folder}/environ`), parseRankEnvironment),
      ioBytes: value('inputOutput', readProcFile(`${folder}/io`), parseIoBytes),
      unreadable,
    };
  }
}
