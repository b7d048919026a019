/**
 * On which ports something listens, where the jobs live: a rank in a container sees ports of its own, so each job's
 * own view of the network is read, through one of its ranks.
 */
import { parseListeningPorts } from '../../shared/jobs/listeningPorts';
import { containerOf } from '../../shared/jobs/program';
import type { ProcessFacts } from '../../shared/jobs/types';
import { readProcFile } from './procfs';

/** A rendezvous port goes silent once and stays so; there is no hurry. */
const againMs = 10_000;

export class ListeningPorts {
  private ports: ReadonlySet<number> | null = null;
  private readAt: number | null = null;

  constructor(private readonly procFolder: string) {}

  /**
   * The ports as read within the last ten seconds, those of all views together: a port that is silent here is silent
   * everywhere. Null where no rank asks for a port or where nothing could be read. `now` in milliseconds.
   */
  read(facts: readonly ProcessFacts[], now: number): ReadonlySet<number> | null {
    const pids = onePidAPort(facts);
    if (pids.length === 0) return null;
    if (this.readAt === null || now - this.readAt >= againMs) {
      this.readAt = now;
      this.ports = this.readAll(pids);
    }
    return this.ports;
  }

  /** The kernel lists sockets that listen before all others, so a text that was too long to be read whole has them. */
  private readAll(pids: readonly number[]): ReadonlySet<number> | null {
    const views = pids.flatMap((pid) =>
      ['tcp', 'tcp6'].map((file) => readProcFile(`${this.procFolder}/${pid}/net/${file}`)),
    );
    const texts = views.flatMap((view) => (view.ok ? [view.value] : []));
    return texts.length === 0 ? null : new Set(texts.flatMap(parseListeningPorts));
  }
}

/** One process of each rendezvous port: the ranks of one job, which is in one container, share their view. */
function onePidAPort(facts: readonly ProcessFacts[]): readonly number[] {
  const chosen = new Map<string, number>();
  for (const { pid, startTime, environment, cgroup } of facts)
    if (startTime !== null && environment !== null && environment.masterPort !== null)
      chosen.set(`${environment.masterPort}/${containerOf(cgroup) ?? ''}`, pid);
  return [...chosen.values()];
}
