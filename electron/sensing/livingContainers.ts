/** Which containers of Docker and Podman live: `docker rm -f` may leave processes behind that no container keeps. */
import { containersIn, keepsContainer, keptContainer } from '../../shared/jobs/containers';
import { parseCommand } from '../../shared/jobs/procStat';
import type { ProcessFacts } from '../../shared/jobs/types';
import { listPids, readProcFile } from './procfs';

/** A container ends once; reading every process's short name costs some milliseconds. */
const againMs = 10_000;

export class LivingContainers {
  private living: ReadonlySet<string> | null = null;
  private readAt: number | null = null;

  constructor(private readonly procFolder: string) {}

  /**
   * Ids of the containers that live, as read within the last ten seconds. Null where no process is in such a container,
   * or where Headroom does not see the processes outside of its own. `now` in milliseconds.
   */
  read(facts: readonly ProcessFacts[], seesAll: boolean, now: number): ReadonlySet<string> | null {
    if (!seesAll || facts.every(({ cgroup }) => keptContainer(cgroup) === null)) return null;
    if (this.readAt === null || now - this.readAt >= againMs) {
      this.readAt = now;
      this.living = new Set(listPids(this.procFolder).flatMap((pid) => this.keptBy(pid)));
    }
    return this.living;
  }

  private keptBy(pid: number): readonly string[] {
    const name = readProcFile(`${this.procFolder}/${pid}/comm`);
    if (!name.ok || !keepsContainer(name.value)) return [];
    const command = readProcFile(`${this.procFolder}/${pid}/cmdline`);
    return command.ok ? containersIn(parseCommand(command.value)) : [];
  }
}
