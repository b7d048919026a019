import type { Card } from '../../gpu/types';
import type { Job, JobMember } from '../../jobs/types';
import { fullness } from '../../gpu/fullness';

/** Memory that one process holds on one card. */
export interface Holding {
  readonly job: Job;
  readonly member: JobMember;
  readonly gpuIndex: number;
  readonly usedBytes: number;
}

/** A job that trains with all that its processes are known to hold; most of its members are workers and hold nothing. */
export interface HeldByJob {
  readonly job: Job;
  readonly holdings: readonly Holding[];
}

/**
 * What each job whose balance is a matter of training holds, the desktop's programs left out, and processes whose memory the
 * driver does not say.
 */
export function heldByJobs(jobs: readonly Job[]): readonly HeldByJob[] {
  return jobs
    .filter(({ kind }) => kind !== 'desktop')
    .map((job) => {
      const holdings: Holding[] = [];
      for (const member of job.members)
        for (const { gpuIndex, usedBytes } of member.cards)
          if (usedBytes !== null) holdings.push({ job, member, gpuIndex, usedBytes });
      return { job, holdings };
    });
}

/**
 * From this share on a card is what limits its job; below, a job that uses one card of two is simply a small job. A run recorded on an
 * H200 stood at 0.89 with the largest batch that fits, as what one more sample needs did not fit in the rest.
 */
export const tightShare = 0.85;

/** Cards that nobody uses: under a tenth full, not busy, and no training job holds memory there. */
export function idleCards(cards: readonly Card[], jobs: readonly HeldByJob[]): readonly Card[] {
  const held = new Set<number>();
  for (const { holdings } of jobs) for (const { gpuIndex } of holdings) held.add(gpuIndex);
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
