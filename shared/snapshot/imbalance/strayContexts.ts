import type { Imbalance } from '../types';
import { message } from '../../i18n/message';
import { bareContextBytes } from '../../gpu/bareContext';
import type { HeldByJob, Holding } from './holdings';

/**
 * Ranks that work on their own card and keep a bare context on another one (nearly always card 0): `.cuda()` or
 * `torch.load` before `set_device`, or a barrier without a device.
 */
export function strayContexts(jobs: readonly HeldByJob[]): readonly Imbalance[] {
  return jobs.flatMap(({ job, holdings }) => {
    const strays = holdings.filter((holding) => isStray(holding));
    if (strays.length === 0) return [];
    const byCard = new Map<number, Holding[]>();
    for (const stray of strays) byCard.set(stray.gpuIndex, [...(byCard.get(stray.gpuIndex) ?? []), stray]);
    return [...byCard].map(([gpuIndex, held]) => ({
      kind: 'stray-contexts',
      gpuIndices: [gpuIndex],
      jobIds: [job.id],
      what: message('imbalance.strayWhat', {
        count: held.length,
        job: job.title,
        card: gpuIndex,
        used: held.reduce((sum, { usedBytes }) => sum + usedBytes, 0),
      }),
      why: message('imbalance.strayWhy', { card: gpuIndex }),
      remedy: message('imbalance.strayRemedy'),
    }));
  });
}

function isStray({ job, member, gpuIndex, usedBytes }: Holding): boolean {
  if (usedBytes < bareContextBytes.least || usedBytes > bareContextBytes.most) return false;
  const own = member.cards.find(
    (card) => card.gpuIndex !== gpuIndex && (card.usedBytes ?? 0) > 2 * usedBytes,
  );
  if (member.rank === null || own === undefined) return false;
  return job.members.some(
    (other) =>
      other !== member &&
      other.rank !== null &&
      other.cards.some((card) => card.gpuIndex === gpuIndex && (card.usedBytes ?? 0) > 2 * usedBytes),
  );
}
