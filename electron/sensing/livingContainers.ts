/** Which containers of Docker and Podman live: `docker rm -f` may leave processes behind that no container keeps. */
import { containersIn, keepsContainer, keptContainer } from '../../shared/jobs/containers';
import { parseCommand } from '../../shared/jobs/procStat';
import type { ProcessFacts } from '../../shared/jobs/types';
import { isWhole, type World } from '../../shared/jobs/world';
import { listPids, readProcFile } from './procfs';

/** A container ends once; reading every process's short name costs some milliseconds. */
const againMs = 10_000;

export class LivingContainers {
  private living: ReadonlySet<string> | null = null;
  private readAt: number | null = null;

  constructor(private readonly procFolder: string) {}

  /**
   * Ids of the containers that live, as read within the last ten seconds. Null where no process is in such a container,
   * and where not every process that may keep one can be read. `now` in milliseconds.
   */
  read(facts: readonly ProcessFacts[], world: World, now: number): ReadonlySet<string> | null {
    if (!isWhole(world) || facts.every(({ cgroup }) => keptContainer(cgroup) === null)) return null;
    if (this.readAt === null || now - this.readAt >= againMs) {
      this.readAt = now;
      this.living = this.readAll();
    }
    return this.living;
  }

  private readAll(): ReadonlySet<string> | null {
    const found = new Set<string>();
    for (const pid of listPids(this.procFolder)) {
      const kept = this.keptBy(pid);
      if (kept === null) return null;
      for (const id of kept) found.add(id);
    }
    return found;
  }

  /** The containers that a process keeps; null where it may keep one that it does not name. */
  private keptBy(pid: number): readonly string[] | null {
    const name = readProcFile(`${this.procFolder}/${pid}/comm`);
    if (!name.ok) return name.reason === 'gone' ? [] : null;
    if (!keepsContainer(name.value)) return [];
    const command = readProcFile(`${this.procFolder}/${pid}/cmdline`);
    if (!command.ok) return command.reason === 'gone' ? [] : null;
    // One that is ending has no command line any more.
    const words = parseCommand(command.value);
    return words === null ? [] : containersIn(words);
  }
}
