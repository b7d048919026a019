/**
 * On which ports something listens, where the jobs live: a rank in a container sees ports of its own, so each view of
 * the network is read, through one of the ranks that have it.
 */
import { parseListeningPorts, tellsOthers } from '../../shared/jobs/listeningPorts';
import { containerOf } from '../../shared/jobs/program';
import type { ProcessFacts } from '../../shared/jobs/types';
import { readProcLink, readProcStart } from './procfs';

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
    const asking = facts.filter(
      ({ startTime, environment }) => startTime !== null && (environment?.masterPort ?? null) !== null,
    );
    if (asking.length === 0) return null;
    if (this.readAt === null || now - this.readAt >= againMs) {
      this.readAt = now;
      this.ports = this.readAll(this.onePidAView(asking));
    }
    return this.ports;
  }

  private readAll(pids: readonly number[]): ReadonlySet<number> | null {
    const views = pids.flatMap((pid) =>
      ['tcp', 'tcp6'].map((file) => readProcStart(`${this.procFolder}/${pid}/net/${file}`, tellsOthers)),
    );
    const texts = views.flatMap((view) => (view.ok ? [view.value] : []));
    return texts.length === 0 ? null : new Set(texts.flatMap(parseListeningPorts));
  }

  /** One process of each network namespace; where its name may not be read, one of each container. */
  private onePidAView(asking: readonly ProcessFacts[]): readonly number[] {
    const chosen = new Map<string, number>();
    for (const { pid, cgroup } of asking) {
      const view = readProcLink(`${this.procFolder}/${pid}/ns/net`);
      chosen.set(view.ok ? view.value : (containerOf(cgroup) ?? ''), pid);
    }
    return [...chosen.values()];
  }
}
