import type { CardHistory, History, HistorySpan } from '../../../shared/snapshot/history/history';
import type { Snapshot } from '../../../shared/alerts/snapshot';
import { jobBytesOnCard } from '../../../shared/snapshot/cardSplit';

const seconds = { fiveMinutes: 300, hour: 3_600, day: 86_400 } as const;

/** A past for a Snapshot: every job on its cards rose slowly to what it holds now; the job called last began late. */
export function pastOf(snapshot: Snapshot, span: HistorySpan, points = 150): History {
  const step = seconds[span] / points;
  const times = Array.from({ length: points }, (_, index) => snapshot.time - (points - 1 - index) * step);
  const cards = snapshot.cards.map((card): CardHistory => {
    const rise = (index: number): number =>
      0.55 + 0.45 * Math.min(1, index / (points * 0.7)) - 0.03 * Math.abs(Math.sin(index / 3));
    const jobs = snapshot.jobs.flatMap((job, order) => {
      const bytes = jobBytesOnCard(job, card.index) ?? 0;
      const begin = order === snapshot.jobs.length - 1 ? points / 3 : 0;
      if (bytes === 0) return [];
      return [
        {
          jobId: job.id,
          title: job.title,
          usedBytes: times.map((_, index) =>
            index < begin ? null : bytes * (index === points - 1 ? 1 : rise(index)),
          ),
        },
      ];
    });
    const held = snapshot.jobs.reduce((sum, job) => sum + (jobBytesOnCard(job, card.index) ?? 0), 0);
    const rest = Math.max(0, (card.memoryUsedBytes ?? 0) - held);
    const used = times.map((_, index) =>
      card.memoryUsedBytes === null
        ? null
        : rest + jobs.reduce((sum, job) => sum + (job.usedBytes[index] ?? 0), 0),
    );
    return {
      gpuIndex: card.index,
      times,
      usedBytes: used,
      usedMinBytes: used,
      usedMaxBytes:
        span === 'fiveMinutes' ? used : used.map((bytes) => (bytes === null ? null : bytes * 1.03)),
      utilizationPercent: times.map(() => card.utilizationPercent),
      jobs,
    };
  });
  const last = snapshot.jobs[snapshot.jobs.length - 1];
  return {
    span,
    fromTime: snapshot.time - seconds[span],
    toTime: snapshot.time,
    intervalSeconds: seconds[span] / points,
    cards,
    marks:
      last === undefined
        ? []
        : [
            {
              time: times[Math.ceil(points / 3)] ?? snapshot.time,
              kind: 'started',
              jobId: last.id,
              title: last.title,
              gpuIndices: [
                ...new Set(last.members.flatMap((one) => one.cards.map((place) => place.gpuIndex))),
              ],
            },
          ],
  };
}
