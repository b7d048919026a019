import type { HistoryMark } from '../../contract/history';
import type { Snapshot } from '../../contract/snapshot';
import type { Job } from '../../jobs/types';

function cardsOf(job: Job): number[] {
  return [...new Set(job.members.flatMap(({ cards }) => cards.map(({ gpuIndex }) => gpuIndex)))].sort(
    (left, right) => left - right,
  );
}

function marksOf(
  kind: HistoryMark['kind'],
  jobs: readonly Job[],
  others: readonly Job[],
  time: number,
): HistoryMark[] {
  const known = new Set(others.map(({ id }) => id));
  return jobs
    .filter((job) => !known.has(job.id) && job.kind !== 'desktop' && cardsOf(job).length > 0)
    .map((job) => ({ time, kind, jobId: job.id, title: job.title, gpuIndices: cardsOf(job) }));
}

/**
 * What happened to jobs between two Snapshots: those that began and those that ended, `killed` for the ids in
 * `killed` (ended by this app, or by a signal that someone saw). The first Snapshot of a run marks nothing: its jobs
 * began before. Desktop programs are not marked.
 */
export function jobMarks(
  before: Snapshot | null,
  after: Snapshot,
  killed: ReadonlySet<string>,
): readonly HistoryMark[] {
  if (before === null) return [];
  const ended = marksOf('ended', before.jobs, after.jobs, after.time).map((mark) =>
    killed.has(mark.jobId) ? { ...mark, kind: 'killed' as const } : mark,
  );
  return [...ended, ...marksOf('started', after.jobs, before.jobs, after.time)];
}
