import type { Card } from '../../gpu/types';
import type { Imbalance } from '../types';
import { message } from '../../i18n/message';
import type { Job, JobMember } from '../../jobs/types';
import { median } from '../../numbers';
import { GiB } from '../../units';
import { fullness } from '../../gpu/fullness';
import { tightShare, type HeldByJob, type Holding } from './holdings';

/**
 * One process on several cards whose first card holds clearly more than the others, which are alike: DataParallel,
 * whose first card keeps the master weights, gradients, optimizer and gathered outputs. Layers spread over cards
 * (device_map) are not alike; with two cards that cannot be seen, so there the first must be nearly full as well.
 */
export function dataParallelMaster(cards: readonly Card[], jobs: readonly HeldByJob[]): readonly Imbalance[] {
  return jobs.flatMap(({ job, holdings: all }) =>
    membersOnSeveralCards(job).flatMap((member) => {
      const holdings = all
        .filter((holding) => holding.member === member)
        .sort((a, b) => a.gpuIndex - b.gpuIndex);
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

function membersOnSeveralCards({ members }: Job): readonly JobMember[] {
  return members.filter(({ cards }) => cards.length > 1);
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
