import type { CardHistory, History, JobMemorySeries } from '../../shared/snapshot/history/history';
import type { Card } from '../../shared/gpu/types';
import type { Snapshot } from '../../shared/alerts/snapshot';
import { jobBytesOnCard } from '../../shared/snapshot/cardSplit';
import { isGap } from '../../shared/snapshot/history/gap';
import type { Job } from '../../shared/jobs/types';

/**
 * Adds one Snapshot at the end of a history and drops what is older than `spanSeconds`; the given one stays as it is.
 * As in main, a reading counts once, at the moment it was taken: while nvidia-smi is silent the past has a gap.
 */
export function extendHistory(history: History, snapshot: Snapshot, spanSeconds: number): History {
  const fromTime = snapshot.time - spanSeconds;
  const { intervalSeconds } = snapshot;
  const paceBefore = history.intervalSeconds ?? intervalSeconds;
  const known = new Map(history.cards.map((card) => [card.gpuIndex, card]));
  const seen = snapshot.cards.map((card) => {
    const past = dropBefore(known.get(card.index) ?? emptyCard(card.index), fromTime);
    const readAt = snapshot.cardsReadAt;
    const last = past.times[past.times.length - 1] ?? null;
    if (readAt === null || (last !== null && readAt <= last)) return past;
    const stopped =
      last !== null && isGap({ time: last, intervalSeconds: paceBefore }, { time: readAt, intervalSeconds });
    const joined = stopped ? append(past, (last + readAt) / 2, null, []) : past;
    return append(joined, readAt, card.lost ? null : card, snapshot.jobs);
  });
  const present = new Set(snapshot.cards.map((card) => card.index));
  const gone = history.cards.filter((card) => !present.has(card.gpuIndex));
  return {
    span: history.span,
    fromTime,
    toTime: snapshot.time,
    intervalSeconds,
    cards: [...seen, ...gone].sort((a, b) => a.gpuIndex - b.gpuIndex),
    marks: history.marks.filter((mark) => mark.time >= fromTime),
  };
}

/** A card of which nothing has been read yet. */
export function emptyCard(gpuIndex: number): CardHistory {
  return {
    gpuIndex,
    times: [],
    usedBytes: [],
    usedMinBytes: [],
    usedMaxBytes: [],
    utilizationPercent: [],
    jobs: [],
  };
}

function dropBefore(past: CardHistory, fromTime: number): CardHistory {
  const first = past.times.findIndex((time) => time >= fromTime);
  const start = first === -1 ? past.times.length : first;
  if (start === 0) return past;
  return {
    gpuIndex: past.gpuIndex,
    times: past.times.slice(start),
    usedBytes: past.usedBytes.slice(start),
    usedMinBytes: past.usedMinBytes.slice(start),
    usedMaxBytes: past.usedMaxBytes.slice(start),
    utilizationPercent: past.utilizationPercent.slice(start),
    jobs: past.jobs
      .map((series) => ({ ...series, usedBytes: series.usedBytes.slice(start) }))
      .filter((series) => series.usedBytes.some((bytes) => bytes !== null)),
  };
}

/** One point more; without a card a point at which nothing is known. */
function append(past: CardHistory, time: number, card: Card | null, jobs: readonly Job[]): CardHistory {
  const used = card?.memoryUsedBytes ?? null;
  return {
    gpuIndex: past.gpuIndex,
    times: [...past.times, time],
    usedBytes: [...past.usedBytes, used],
    usedMinBytes: [...past.usedMinBytes, used],
    usedMaxBytes: [...past.usedMaxBytes, used],
    utilizationPercent: [...past.utilizationPercent, card?.utilizationPercent ?? null],
    jobs: appendJobs(past, card === null ? [] : jobs),
  };
}

function appendJobs(past: CardHistory, jobs: readonly Job[]): readonly JobMemorySeries[] {
  const now = new Map(
    jobs.flatMap((job) => {
      const bytes = jobBytesOnCard(job, past.gpuIndex) ?? 0;
      return bytes === 0 ? [] : [[job.id, { title: job.title, bytes }] as const];
    }),
  );
  const going = past.jobs.map((series) => ({
    ...series,
    usedBytes: [...series.usedBytes, now.get(series.jobId)?.bytes ?? null],
  }));
  const knownIds = new Set(past.jobs.map((series) => series.jobId));
  const fresh = [...now]
    .filter(([jobId]) => !knownIds.has(jobId))
    .map(([jobId, { title, bytes }]) => ({
      jobId,
      title,
      usedBytes: [...past.times.map(() => null), bytes],
    }));
  return [...going, ...fresh];
}
