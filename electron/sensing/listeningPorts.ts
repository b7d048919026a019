/**
 * Whether something listens on the ports that ranks meet at, where the jobs live: a rank in a container sees ports of
 * its own, so each view of the network is read, through one of the ranks that have it.
 */
import { listensOn, parseListeningPorts, tellsOthers } from '../../shared/jobs/listeningPorts';
import { containerOf } from '../../shared/jobs/program';
import type { ProcessFacts } from '../../shared/jobs/types';
import { readProcLink, readProcStart } from './procfs';
import { isSameSet } from './sameSet';

/** A rendezvous port goes silent once and stays so; there is no hurry. */
const againMs = 10_000;
/**
 * A port that is not there costs milliseconds each time: behind the last socket that listens the kernel walks its whole
 * table of connections, 262,144 places on a machine with 24 GiB. While nothing else is asked the pauses grow up to this.
 */
const longestPauseMs = 60_000;
/** PyTorch's store listens on both kinds of addresses, and such a socket stands in the second file alone. */
const files = ['tcp6', 'tcp'];

interface View {
  /** The process through which it is read. */
  readonly pid: number;
  readonly asked: ReadonlySet<number>;
}

export class ListeningPorts {
  private ports: ReadonlySet<number> | null = null;
  private dueAt = -Infinity;
  private pauseMs = againMs;
  private askedFor: ReadonlySet<number> = new Set();

  constructor(private readonly procFolder: string) {}

  /**
   * Those of the asked ports that something listens on, and maybe others, those of all views together: a port that is
   * silent here is silent everywhere. Read within the last ten seconds, or within the last minute where one was silent
   * before. Null where no rank asks for a port or where nothing could be read. `now` in milliseconds.
   */
  read(facts: readonly ProcessFacts[], now: number): ReadonlySet<number> | null {
    const askedFor = portsOf(facts);
    if (askedFor.size === 0) return null;
    const isRepeated = isSameSet(askedFor, this.askedFor);
    if (isRepeated && now < this.dueAt) return this.ports;
    const views = this.viewsOf(facts.filter((one) => portOf(one) !== null));
    this.ports = this.readAll(views);
    const allListen = views.every(({ asked }) => hasAll(this.ports, asked));
    this.pauseMs = isRepeated && !allListen ? Math.min(2 * this.pauseMs, longestPauseMs) : againMs;
    this.dueAt = now + this.pauseMs;
    this.askedFor = askedFor;
    return this.ports;
  }

  private readAll(views: readonly View[]): ReadonlySet<number> | null {
    const found = views.map((view) => this.readView(view)).filter((ports) => ports !== null);
    return found.length === 0 ? null : new Set(found.flat());
  }

  /** The ports of one view, read until all that are asked for are there; null where nothing may be read. */
  private readView({ pid, asked }: View): readonly number[] | null {
    let found: readonly number[] | null = null;
    for (const file of files) {
      const missing = [...asked].filter((port) => found?.includes(port) !== true);
      if (missing.length === 0) break;
      const text = readProcStart(
        `${this.procFolder}/${pid}/net/${file}`,
        (text) => tellsOthers(text) || missing.every((port) => listensOn(text, port)),
      );
      if (text.ok) found = [...(found ?? []), ...parseListeningPorts(text.value)];
    }
    return found;
  }

  /** One process of each network namespace; where its name may not be read, one of each container. */
  private viewsOf(asking: readonly ProcessFacts[]): readonly View[] {
    const views = new Map<string, { pid: number; asking: ProcessFacts[] }>();
    for (const one of asking) {
      const link = readProcLink(`${this.procFolder}/${one.pid}/ns/net`);
      const name = link.ok ? link.value : (containerOf(one.cgroup) ?? '');
      const view = views.get(name) ?? { pid: one.pid, asking: [] };
      views.set(name, { pid: one.pid, asking: view.asking });
      view.asking.push(one);
    }
    return [...views.values()].map((view) => ({ pid: view.pid, asked: portsOf(view.asking) }));
  }
}

/** The port that a process asks for; null where it asks for none or is not there. */
function portOf({ startTime, environment }: ProcessFacts): number | null {
  return startTime === null ? null : (environment?.masterPort ?? null);
}

function portsOf(facts: readonly ProcessFacts[]): ReadonlySet<number> {
  const ports = new Set<number>();
  for (const one of facts) {
    const port = portOf(one);
    if (port !== null) ports.add(port);
  }
  return ports;
}

function hasAll(ports: ReadonlySet<number> | null, asked: ReadonlySet<number>): boolean {
  return ports !== null && [...asked].every((port) => ports.has(port));
}
