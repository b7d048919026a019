import type { Card } from '../../gpu/types';
import type { Imbalance } from '../types';
import { message } from '../../i18n/message';
import { fullness } from '../../gpu/fullness';
import { tightShare, type HeldByJob } from './holdings';

/**
 * Everything on one card while others idle: a job of one process that fills its card, or a job of several ranks that
 * all sit on the same card (no `set_device`, or the same CUDA_VISIBLE_DEVICES for all).
 */
export function everythingOnOneCard(
  cards: readonly Card[],
  jobs: readonly HeldByJob[],
  idle: readonly Card[],
): readonly Imbalance[] {
  if (idle.length === 0) return [];
  return jobs.flatMap(({ job, holdings }) => {
    const gpuIndex = holdings[0]?.gpuIndex;
    if (gpuIndex === undefined || holdings.some((holding) => holding.gpuIndex !== gpuIndex)) return [];
    const card = cards.find(({ index }) => index === gpuIndex);
    const ranks = new Set(holdings.flatMap(({ member }) => (member.rank === null ? [] : [member.rank]))).size;
    if (card === undefined || (ranks < 2 && (fullness(card) ?? 0) < tightShare)) return [];
    const usedBytes = holdings.reduce((sum, holding) => sum + holding.usedBytes, 0);
    const values = { job: job.title, card: gpuIndex, used: usedBytes, count: idle.length };
    return [
      {
        kind: 'everything-on-one-card',
        gpuIndices: [gpuIndex, ...idle.map(({ index }) => index)],
        jobIds: [job.id],
        what: message('imbalance.oneCardWhat', values),
        why:
          ranks < 2
            ? message('imbalance.oneProcessWhy', { job: job.title, card: gpuIndex })
            : message('imbalance.ranksOnOneCardWhy', { count: ranks, card: gpuIndex }),
        remedy:
          ranks < 2
            ? message('imbalance.oneProcessRemedy', { count: idle.length + 1 })
            : message('imbalance.ranksOnOneCardRemedy'),
      },
    ];
  });
}
