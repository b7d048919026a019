import type { Card, Imbalance } from '../../contract/snapshot';
import type { Job } from '../../jobs/types';
import { cardOrder } from './cardOrder';
import { dataParallelMaster } from './dataParallel';
import { differingRank } from './differingRank';
import { everythingOnOneCard } from './oneCard';
import { jobsOnOneCard } from './sharedCard';
import { strayContexts } from './strayContexts';

/** What is uneven between the cards and why, the most urgent kind first. Stale jobs are told elsewhere. */
export function imbalances(cards: readonly Card[], jobs: readonly Job[]): readonly Imbalance[] {
  const living = jobs.filter((job) => job.verdict !== 'stale');
  return [
    ...everythingOnOneCard(cards, living),
    ...dataParallelMaster(cards, living),
    ...strayContexts(living),
    ...differingRank(living),
    ...jobsOnOneCard(cards, living),
    ...cardOrder(cards),
  ];
}
