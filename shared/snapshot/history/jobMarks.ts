import type { HistoryMark } from './history';
import type { WorkstationState } from '../types';
import type { Job } from '../../jobs/types';

type Seen = Pick<WorkstationState, 'jobs' | 'processes'>;

/** A job with what of it holds memory. */
interface Holding {
  readonly job: Job;
  readonly pids: readonly number[];
  readonly gpuIndices: readonly number[];
}

/**
 * The jobs that hold memory, desktop programs apart. A helper that inherited the open devices of its rank holds none: it
 * counts only where the driver lists no processes at all, as in a container.
 */
function holdingOf({ jobs, processes }: Seen): readonly Holding[] {
  const isListed = processes.some(({ pid }) => pid !== null);
  const holds = (pid: number, gpuIndex: number) =>
    !isListed || processes.some((process) => process.pid === pid && process.gpuIndex === gpuIndex);
  return jobs.flatMap((job): readonly Holding[] => {
    if (job.kind === 'desktop') return [];
    const held = job.members.flatMap(({ cards, process: { pid } }) =>
      cards
        .filter(({ gpuIndex, usedBytes }) => usedBytes !== null || holds(pid, gpuIndex))
        .map(({ gpuIndex }) => ({ pid, gpuIndex })),
    );
    if (held.length === 0) return [];
    const gpuIndices = [...new Set(held.map(({ gpuIndex }) => gpuIndex))].sort((left, right) => left - right);
    return [{ job, pids: held.map(({ pid }) => pid), gpuIndices }];
  });
}

/** A job has another id once its first process is gone; what has a process of it that holds memory is still that job. */
function goesOn({ job, pids }: Holding, others: readonly Holding[]): boolean {
  return others.some((other) => other.job.id === job.id || pids.some((pid) => other.pids.includes(pid)));
}

/**
 * What happened to jobs between two Snapshots: those that began to hold memory and those that ended, `killed` for the
 * ids in `killed` (ended by this app, or by a signal that someone saw). The first Snapshot of a run marks nothing: its
 * jobs began before. Desktop programs are not marked.
 */
export function jobMarks(
  before: WorkstationState | null,
  after: WorkstationState,
  killed: ReadonlySet<string>,
): readonly HistoryMark[] {
  if (before === null) return [];
  const [held, holding] = [holdingOf(before), holdingOf(after)];
  const known = new Set(held.flatMap(({ job }) => job.members.map(({ process }) => process.pid)));
  const mark = (kind: HistoryMark['kind'], { gpuIndices, job }: Holding): HistoryMark => ({
    time: after.time,
    kind,
    jobId: job.id,
    title: job.title,
    gpuIndices,
  });
  return [
    ...held
      .filter((one) => !goesOn(one, holding))
      .map((one) => mark(killed.has(one.job.id) ? 'killed' : 'ended', one)),
    ...holding
      .filter((one) => !goesOn(one, held) && !one.job.members.some(({ process }) => known.has(process.pid)))
      .map((one) => mark('started', one)),
  ];
}
