import type { Imbalance } from '../types';
import { message } from '../../i18n/message';
import { median } from '../../numbers';
import { GiB } from '../../units';
import type { HeldByJob, Holding } from './holdings';

/** Stages of a pipeline differ by design; their launchers say so on the command line. */
const pipelineWords = /pipeline|\bpp[-_]?(size|degree)?\b|stage[-_]?(id|rank)|device[-_]map/i;

/**
 * One rank of a job that holds clearly more or less than all the others, which are alike: longer samples, rank-0-only
 * evaluation or saving, a checkpoint loaded on the card. Three ranks at least: of two, neither is the odd one.
 */
export function differingRank(jobs: readonly HeldByJob[]): readonly Imbalance[] {
  return jobs.flatMap(({ job, holdings }) => {
    const ranks = largestOfRanks(holdings);
    if (ranks.length < 3) return [];
    const middle = median(ranks.map(({ usedBytes }) => usedBytes));
    const odd = ranks.filter(({ usedBytes }) => Math.abs(usedBytes - middle) > Math.max(GiB, 0.15 * middle));
    const alike = ranks.filter(({ usedBytes }) => Math.abs(usedBytes - middle) <= 0.05 * middle);
    const one = odd[0];
    if (one === undefined || odd.length > 1 || alike.length !== ranks.length - 1) return [];
    if (ranks.some(({ member }) => pipelineWords.test((member.process.command ?? []).join(' ')))) return [];
    return [
      {
        kind: 'differing-rank',
        gpuIndices: [one.gpuIndex],
        jobIds: [job.id],
        what: message('imbalance.rankWhat', {
          rank: one.member.rank,
          job: job.title,
          used: one.usedBytes,
          others: middle,
        }),
        why: one.usedBytes > middle ? message('imbalance.rankMoreWhy') : message('imbalance.rankLessWhy'),
        remedy:
          one.usedBytes > middle ? message('imbalance.rankMoreRemedy') : message('imbalance.rankLessRemedy'),
      },
    ];
  });
}

/** Of each rank the card on which it holds most; a member's holdings stand together. */
function largestOfRanks(holdings: readonly Holding[]): readonly Holding[] {
  const largest: Holding[] = [];
  for (const holding of holdings) {
    if (holding.member.rank === null) continue;
    const last = largest[largest.length - 1];
    if (last?.member !== holding.member) largest.push(holding);
    else if (holding.usedBytes > last.usedBytes) largest[largest.length - 1] = holding;
  }
  return largest;
}
