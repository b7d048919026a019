/** Which of a job's processes, on which card, is which rank of a plan. */
import type { SavedPlan } from '../launch/savedPlan';
import type { Job, JobMember } from '../jobs/types';

/** One rank of a plan where it runs; `usedBytes` null where the driver does not say. */
export interface RankPlace {
  readonly rank: number;
  readonly gpuIndex: number;
  readonly usedBytes: number | null;
}

/**
 * The places of a plan's ranks in a job, at most `count`. One process on several cards (DataParallel, layers spread over cards) is
 * one place a card, in the order of the cards; otherwise every process has the card on which it holds most, so that a stray context
 * elsewhere counts as none. Ranks that the environment names are taken; the others follow in the order of their pids.
 */
export function rankPlaces(job: Job, count: number): readonly RankPlace[] {
  const holders = job.members.filter(({ cards, role }) => cards.length > 0 && role !== 'worker');
  const [only] = holders;
  if (only !== undefined && holders.length === 1 && count > 1)
    return [...only.cards]
      .sort((one, other) => one.gpuIndex - other.gpuIndex)
      .slice(0, count)
      .map((card, rank) => ({ rank, ...card }));
  const ordered = [...holders].sort(
    (one, other) => (one.rank ?? Infinity) - (other.rank ?? Infinity) || byMemory(count, one, other),
  );
  return ordered.flatMap((member, place) => {
    const rank = member.rank ?? place;
    const card = largest(member);
    return card === null || rank >= count ? [] : [{ rank, ...card }];
  });
}

/** Of several processes that could be the one of a plan for one card, it is the largest. */
function byMemory(count: number, one: JobMember, other: JobMember): number {
  return count === 1
    ? (largest(other)?.usedBytes ?? 0) - (largest(one)?.usedBytes ?? 0)
    : one.process.pid - other.process.pid;
}

function largest({ cards }: JobMember): JobMember['cards'][number] | null {
  return cards.reduce<JobMember['cards'][number] | null>(
    (best, card) => (best === null || (card.usedBytes ?? 0) > (best.usedBytes ?? 0) ? card : best),
    null,
  );
}

/** What the plan expects of the job on each card that it is on, as nvidia-smi would show it. */
export function plannedOnCards(job: Job, plan: SavedPlan): ReadonlyMap<number, number> {
  const planned = new Map<number, number>();
  for (const { gpuIndex, rank } of rankPlaces(job, plan.ranks.length)) {
    const bytes = plan.ranks[rank]?.processBytes ?? 0;
    planned.set(gpuIndex, (planned.get(gpuIndex) ?? 0) + bytes);
  }
  return planned;
}

/** All that the plan expects on its cards together. */
export function plannedTotalBytes(plan: SavedPlan): number {
  return plan.ranks.reduce((sum, { processBytes }) => sum + processBytes, 0);
}
