import type { Job } from '../jobs/types';
import { sumOfKnown } from '../numbers';
import type { CardReading, GpuProcess, MigSlice } from '../gpu/types';

/** Who holds a part of a card's memory. */
export type HolderKind = 'job' | 'otherUser' | 'desktop';

export interface CardPart {
  readonly kind: HolderKind;
  readonly jobId: string;
  readonly title: string;
  readonly user: string | null;
  readonly bytes: number;
}

/** One card's (or slice's) memory, split by who holds it. Unknown is null. */
export interface CardSplit {
  /** In the order of the job ids, which is the order of the colours; holders of 0 bytes are left out. */
  readonly parts: readonly CardPart[];
  /** In use by what no listed process accounts for; null where the card does not say what is in use. */
  readonly unattributedBytes: number | null;
  readonly reservedBytes: number | null;
  readonly usedBytes: number | null;
  readonly totalBytes: number | null;
}

/** The bytes a job holds on one card; null where the driver says of no member how much, 0 where none is on it. */
export function jobBytesOnCard(job: Job, gpuIndex: number): number | null {
  const sizes = job.members
    .flatMap((member) => member.cards)
    .filter((place) => place.gpuIndex === gpuIndex)
    .map((place) => place.usedBytes);
  return sizes.length === 0 ? 0 : sumOfKnown(sizes);
}

/**
 * Splits a card's memory in use by job. A total of 0, which drivers of unified memory print, counts as unknown
 * (https://github.com/Syllo/nvtop/blob/master/src/extract_gpuinfo_nvidia.c).
 */
export function splitCard(card: CardReading, jobs: readonly Job[]): CardSplit {
  const index = card.index;
  const parts =
    index === null ? [] : inOrder(jobs).flatMap((job) => partOf(job, jobBytesOnCard(job, index) ?? 0));
  return withRest(parts, card.memoryUsedBytes, card.memoryTotalBytes, card.memoryReservedBytes);
}

/** Splits one MIG slice of a card by job, through the processes that nvidia-smi lists in that slice. */
export function splitSlice(
  slice: MigSlice,
  gpuIndex: number,
  processes: readonly GpuProcess[],
  jobs: readonly Job[],
): CardSplit {
  const inside = processes.filter(
    (process) =>
      process.gpuIndex === gpuIndex &&
      process.gpuInstance === slice.gpuInstance &&
      (process.computeInstance === slice.computeInstance || process.computeInstance === null),
  );
  const parts = inOrder(jobs).flatMap((job) => {
    const pids = new Set(job.members.map((member) => member.process.pid));
    const sizes = inside.filter((process) => process.pid !== null && pids.has(process.pid));
    return partOf(
      job,
      sizes.reduce((sum, process) => sum + (process.usedBytes ?? 0), 0),
    );
  });
  return withRest(parts, slice.memoryUsedBytes, slice.memoryTotalBytes, null);
}

function inOrder(jobs: readonly Job[]): readonly Job[] {
  return [...jobs].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

function partOf(job: Job, bytes: number): readonly CardPart[] {
  if (bytes === 0) return [];
  return [{ kind: holderKind(job), jobId: job.id, title: job.title, user: job.user, bytes }];
}

/** Whose memory a job's is, as a person at this machine sees it. */
export function holderKind(job: Job): HolderKind {
  if (job.ownedByMe === false) return 'otherUser';
  return job.kind === 'desktop' ? 'desktop' : 'job';
}

function withRest(
  parts: readonly CardPart[],
  usedBytes: number | null,
  totalBytes: number | null,
  reservedBytes: number | null,
): CardSplit {
  const held = parts.reduce((sum, part) => sum + part.bytes, 0);
  return {
    parts,
    unattributedBytes: usedBytes === null ? null : Math.max(0, usedBytes - held),
    reservedBytes,
    usedBytes,
    totalBytes: totalBytes === 0 ? null : totalBytes,
  };
}
