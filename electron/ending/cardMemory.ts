/** How much memory of cards still hangs on a job's processes, read from the newest Snapshot. */
import type { Snapshot } from '../../shared/alerts/snapshot';
import { memoryOn } from '../../shared/jobs/stale/freeing';
import type { Job } from '../../shared/jobs/types';

/** Answers `memoryOf` of an ending: null where nvidia-smi cannot be asked at the moment. */
export function cardMemory(
  job: Job,
  latest: () => Snapshot | null,
): (pids: ReadonlySet<number>) => Promise<number | null> {
  const hidden = new Set(
    job.members.flatMap(({ cards }) =>
      cards.flatMap((card) => (card.usedBytes === null ? [card.gpuIndex] : [])),
    ),
  );
  return (pids) => {
    const snapshot = latest();
    if (snapshot === null) return Promise.resolve(null);
    const living = new Set(
      snapshot.jobs
        .flatMap(({ members }) => members)
        .flatMap(({ process }) => (process.startTime === null ? [] : [process.pid])),
    );
    return Promise.resolve(memoryOn(pids, hidden, { ...snapshot, living }));
  };
}
