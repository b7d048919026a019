import type { Card } from '../../contract/snapshot';
import type { Job, JobMember } from '../../jobs/types';

/** Memory that one process holds on one card. */
export interface Holding {
  readonly job: Job;
  readonly member: JobMember;
  readonly gpuIndex: number;
  readonly usedBytes: number;
}

/** Jobs whose balance is a matter of training: not the desktop's programs. */
export function trainingJobs(jobs: readonly Job[]): readonly Job[] {
  return jobs.filter((job) => job.kind !== 'desktop');
}

/** Jobs do not change once they are made, and every kind of imbalance asks for the same. */
const known = new WeakMap<Job, readonly Holding[]>();

/** Every known holding of a job; processes whose memory the driver does not say are left out. */
export function holdingsOf(job: Job): readonly Holding[] {
  const before = known.get(job);
  if (before !== undefined) return before;
  const holdings: Holding[] = [];
  for (const member of job.members) addHoldings(job, member, holdings);
  known.set(job, holdings);
  return holdings;
}

/** The known holdings of one member of a job. */
export function memberHoldings(job: Job, member: JobMember): readonly Holding[] {
  const holdings: Holding[] = [];
  addHoldings(job, member, holdings);
  return holdings;
}

/** Most members are workers and hold nothing; this runs for every job and second. */
function addHoldings(job: Job, member: JobMember, holdings: Holding[]): void {
  for (const { gpuIndex, usedBytes } of member.cards)
    if (usedBytes !== null) holdings.push({ job, member, gpuIndex, usedBytes });
}

/**
 * From this share on a card is what limits its job; below, a job that uses one card of two is simply a small job. A run recorded on an
 * H200 stood at 0.89 with the largest batch that fits, as what one more sample needs did not fit in the rest.
 */
export const tightShare = 0.85;

/** Used share of a card, 0 to 1, or null where a figure is unknown. */
export function fullness(card: Card): number | null {
  return card.memoryUsedBytes === null || card.memoryTotalBytes === null || card.memoryTotalBytes === 0
    ? null
    : card.memoryUsedBytes / card.memoryTotalBytes;
}

/** Cards that nobody uses: under a tenth full, not busy, and no training job holds memory there. */
export function idleCards(cards: readonly Card[], jobs: readonly Job[]): readonly Card[] {
  const held = new Set(trainingJobs(jobs).flatMap((job) => holdingsOf(job).map(({ gpuIndex }) => gpuIndex)));
  return cards.filter((card) => {
    const share = fullness(card);
    return (
      !card.lost &&
      !held.has(card.index) &&
      share !== null &&
      share < 0.1 &&
      (card.utilizationPercent ?? 0) < 5
    );
  });
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
