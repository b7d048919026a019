import type { CardHistory, History, JobMemorySeries } from '../../shared/contract/history';
import type { Card, Snapshot } from '../../shared/contract/snapshot';
import { jobBytesOnCard } from '../../shared/gpu/cardSplit';
import type { Job } from '../../shared/jobs/types';

/** Adds one Snapshot at the end of a history and drops what is older than `spanSeconds`; the given one stays as it is. */
export function extendHistory(history: History, snapshot: Snapshot, spanSeconds: number): History {
  const fromTime = snapshot.time - spanSeconds;
  const known = new Map(history.cards.map((card) => [card.gpuIndex, card]));
  const seen = snapshot.cards.map((card) => {
    const past = known.get(card.index) ?? emptyCard(card.index);
    return extendCard(past, card, snapshot, fromTime);
  });
  const present = new Set(snapshot.cards.map((card) => card.index));
  const gone = history.cards.filter((card) => !present.has(card.gpuIndex));
  return {
    span: history.span,
    fromTime,
    toTime: snapshot.time,
    cards: [...seen, ...gone].sort((a, b) => a.gpuIndex - b.gpuIndex),
    marks: history.marks.filter((mark) => mark.time >= fromTime),
  };
}

function emptyCard(gpuIndex: number): CardHistory {
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

function extendCard(past: CardHistory, card: Card, snapshot: Snapshot, fromTime: number): CardHistory {
  const firstKept = past.times.findIndex((time) => time >= fromTime);
  const start = firstKept === -1 ? past.times.length : firstKept;
  const used = card.lost ? null : card.memoryUsedBytes;
  const append = <Value>(values: readonly Value[], value: Value): Value[] => [...values.slice(start), value];
  return {
    gpuIndex: past.gpuIndex,
    times: append(past.times, snapshot.time),
    usedBytes: append(past.usedBytes, used),
    usedMinBytes: append(past.usedMinBytes, used),
    usedMaxBytes: append(past.usedMaxBytes, used),
    utilizationPercent: append(past.utilizationPercent, card.lost ? null : card.utilizationPercent),
    jobs: extendJobs(past, snapshot.jobs, start),
  };
}

function extendJobs(past: CardHistory, jobs: readonly Job[], start: number): readonly JobMemorySeries[] {
  const length = past.times.length - start;
  const now = new Map(
    jobs.flatMap((job) => {
      const bytes = jobBytesOnCard(job, past.gpuIndex);
      return bytes === 0 ? [] : [[job.id, { title: job.title, bytes }] as const];
    }),
  );
  const going = past.jobs.map((series) => ({
    jobId: series.jobId,
    title: series.title,
    usedBytes: [...series.usedBytes.slice(start), now.get(series.jobId)?.bytes ?? null],
  }));
  const knownIds = new Set(past.jobs.map((series) => series.jobId));
  const fresh = [...now]
    .filter(([jobId]) => !knownIds.has(jobId))
    .map(([jobId, { title, bytes }]) => ({
      jobId,
      title,
      usedBytes: [...Array.from({ length }, () => null), bytes],
    }));
  return [...going, ...fresh].filter((series) => series.usedBytes.some((bytes) => bytes !== null));
}
