import type { Card } from '../../gpu/types';
import type { Imbalance } from '../types';
import type { Job } from '../../jobs/types';
import { cardOrder } from './cardOrder';
import { dataParallelMaster } from './dataParallel';
import { differingRank } from './differingRank';
import { heldByJobs, idleCards } from './holdings';
import { everythingOnOneCard } from './oneCard';
import { jobsOnOneCard } from './sharedCard';
import { strayContexts } from './strayContexts';

/** What is uneven between the cards and why, the most urgent kind first. Stale jobs are told elsewhere. */
export function imbalances(cards: readonly Card[], jobs: readonly Job[]): readonly Imbalance[] {
  const held = heldByJobs(jobs.filter(({ verdict }) => verdict !== 'stale'));
  const idle = idleCards(cards, held);
  return [
    ...everythingOnOneCard(cards, held, idle),
    ...dataParallelMaster(cards, held),
    ...strayContexts(held),
    ...differingRank(held),
    ...jobsOnOneCard(cards, held, idle),
    ...cardOrder(cards),
  ];
}
