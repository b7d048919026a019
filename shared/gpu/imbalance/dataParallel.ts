import type { Card, Imbalance } from '../../contract/snapshot';
import { message } from '../../i18n/message';
import type { Job } from '../../jobs/types';
import { GiB } from '../../units';
import { fullness, median, memberHoldings, tightShare, trainingJobs, type Holding } from './holdings';

/**
 * One process on several cards whose first card holds clearly more than the others, which are alike: DataParallel,
 * whose first card keeps the master weights, gradients, optimizer and gathered outputs. Layers spread over cards
 * (device_map) are not alike; with two cards that cannot be seen, so there the first must be nearly full as well.
 */
export function dataParallelMaster(cards: readonly Card[], jobs: readonly Job[]): readonly Imbalance[] {
  return trainingJobs(jobs).flatMap((job) =>
    job.members.flatMap((member) => {
      if (member.cards.length < 2) return [];
      const holdings = memberHoldings(job, member).toSorted((a, b) => a.gpuIndex - b.gpuIndex);
      const [master, ...others] = holdings;
      if (master === undefined || others.length === 0 || !isMaster(master, others, cards)) return [];
      const othersBytes = median(others.map(({ usedBytes }) => usedBytes));
      return [
        {
          kind: 'data-parallel-master',
          gpuIndices: holdings.map(({ gpuIndex }) => gpuIndex),
          jobIds: [job.id],
          what: message('imbalance.dataParallelWhat', {
            job: job.title,
            card: master.gpuIndex,
            used: master.usedBytes,
            others: othersBytes,
          }),
          why: message('imbalance.dataParallelWhy', { count: holdings.length, card: master.gpuIndex }),
          remedy: message('imbalance.dataParallelRemedy', { count: holdings.length }),
        },
      ];
    }),
  );
}

function isMaster(master: Holding, others: readonly Holding[], cards: readonly Card[]): boolean {
  const sizes = others.map(({ usedBytes }) => usedBytes);
  const most = Math.max(...sizes);
  const least = Math.min(...sizes);
  if (least < 0.75 * GiB || most > 1.1 * least) return false;
  if (master.usedBytes < 1.25 * most || master.usedBytes - most < GiB) return false;
  if (others.length > 1) return true;
  const card = cards.find(({ index }) => index === master.gpuIndex);
  return card !== undefined && (fullness(card) ?? 0) >= tightShare;
}
