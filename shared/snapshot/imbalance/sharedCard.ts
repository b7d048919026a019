import type { Card } from '../../gpu/types';
import type { Imbalance } from '../types';
import { message } from '../../i18n/message';
import type { Job } from '../../jobs/types';
import { GiB } from '../../units';
import { fullness } from '../../gpu/fullness';
import type { HeldByJob } from './holdings';

/** Two jobs with at least a gigabyte each on one card, while another card idles or the shared one is nearly full. */
export function jobsOnOneCard(
  cards: readonly Card[],
  jobs: readonly HeldByJob[],
  idle: readonly Card[],
): readonly Imbalance[] {
  const shares = sharesByCard(jobs);
  return cards.flatMap((card) => {
    const sharing = (shares.get(card.index) ?? [])
      .filter(({ usedBytes }) => usedBytes >= GiB)
      .sort((a, b) => b.usedBytes - a.usedBytes);
    const [first, second] = sharing;
    const nearlyFull = (fullness(card) ?? 0) > 0.9;
    if (first === undefined || second === undefined || (idle.length === 0 && !nearlyFull)) return [];
    return [
      {
        kind: 'jobs-on-one-card',
        gpuIndices: [card.index],
        jobIds: sharing.map(({ job }) => job.id),
        what: message('imbalance.sharedWhat', { count: sharing.length, card: card.index }),
        why: message('imbalance.sharedWhy', {
          first: first.job.title,
          firstUsed: first.usedBytes,
          second: second.job.title,
          secondUsed: second.usedBytes,
        }),
        remedy:
          idle[0] === undefined
            ? message('imbalance.sharedFullRemedy')
            : message('imbalance.sharedRemedy', { card: idle[0].index }),
      },
    ];
  });
}

interface Share {
  readonly job: Job;
  usedBytes: number;
}

/** What each job holds on each card, in the order of the jobs. */
function sharesByCard(jobs: readonly HeldByJob[]): ReadonlyMap<number, readonly Share[]> {
  const shares = new Map<number, Share[]>();
  for (const { job, holdings } of jobs)
    for (const { gpuIndex, usedBytes } of holdings) {
      const onCard = shares.get(gpuIndex) ?? [];
      const last = onCard[onCard.length - 1];
      if (last?.job === job) last.usedBytes += usedBytes;
      else onCard.push({ job, usedBytes });
      shares.set(gpuIndex, onCard);
    }
  return shares;
}
