import type { Card, Imbalance } from '../../contract/snapshot';
import { message } from '../../i18n/message';
import type { Job } from '../../jobs/types';
import { GiB } from '../../units';
import { holdingsOf, idleCards, trainingJobs } from './holdings';

/** Two jobs with at least a gigabyte each on one card, while another card idles or the shared one is nearly full. */
export function jobsOnOneCard(cards: readonly Card[], jobs: readonly Job[]): readonly Imbalance[] {
  const idle = idleCards(cards, jobs);
  const held = trainingJobs(jobs).map((job) => ({ job, byCard: heldByCard(job) }));
  return cards.flatMap((card) => {
    const sharing = held
      .map(({ job, byCard }) => ({ job, usedBytes: byCard.get(card.index) ?? 0 }))
      .filter(({ usedBytes }) => usedBytes >= GiB)
      .toSorted((a, b) => b.usedBytes - a.usedBytes);
    const [first, second] = sharing;
    const nearlyFull =
      (card.memoryUsedBytes ?? 0) > 0.9 * (card.memoryTotalBytes ?? Number.POSITIVE_INFINITY);
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

function heldByCard(job: Job): ReadonlyMap<number, number> {
  const held = new Map<number, number>();
  for (const { gpuIndex, usedBytes } of holdingsOf(job))
    held.set(gpuIndex, (held.get(gpuIndex) ?? 0) + usedBytes);
  return held;
}
