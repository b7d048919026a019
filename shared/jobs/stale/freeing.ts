/** What may be offered for freeing, and whether it still is what a person was shown. */
import { sumOfKnown } from '../../numbers';
import type { Job, JobMember } from '../types';
import type { EndingPlan } from './ending';

/** Only leftovers are offered: a job that works or rests is ended where it was started. */
export function isFreeable({ verdict }: Pick<Job, 'verdict'>): boolean {
  return verdict === 'stale' || verdict === 'suspect';
}

/** Freed on `--yes` alone; anything less than proven takes a person's typed yes. */
export function isProven({ verdict }: Pick<Job, 'verdict'>): boolean {
  return verdict === 'stale';
}

/** Memory of cards that these processes hold; null where the driver says of none of them. */
export function heldBytes(members: readonly JobMember[]): number | null {
  return sumOfKnown(members.flatMap(({ cards }) => cards.map(({ usedBytes }) => usedBytes)));
}

/** Identities of what would end, as they are handed back when a person agrees. */
export function identitiesOf(
  members: readonly JobMember[],
): readonly { readonly pid: number; readonly startTime: number }[] {
  return members.flatMap(({ process: { pid, startTime } }) =>
    startTime === null ? [] : [{ pid, startTime }],
  );
}

/**
 * Whether ending the job now would end a process that was not shown. One that was shown and has gone since is no
 * change: there is less to end, not more.
 */
export function endsMoreThanShown(
  { ends }: EndingPlan,
  shown: readonly { readonly pid: number; readonly startTime: number }[],
): boolean {
  const known = new Set(shown.map(({ pid, startTime }) => `${pid} ${startTime}`));
  return ends.some(({ process: { pid, startTime } }) => !known.has(`${pid} ${startTime}`));
}

/**
 * Memory of cards that still hangs on a job's processes, as far as nvidia-smi shows it. Where it lists none of them
 * (forked workers that keep the memory of their dead parent), all of their cards' memory that no other process holds.
 */
export function memoryOn(
  pids: ReadonlySet<number>,
  hiddenCards: ReadonlySet<number>,
  seen: {
    readonly cards: readonly { readonly index: number; readonly memoryUsedBytes: number | null }[];
    readonly processes: readonly {
      readonly pid: number | null;
      readonly gpuIndex: number | null;
      readonly usedBytes: number | null;
    }[];
    /** Pids that exist, so that what they hold is theirs. */
    readonly living: ReadonlySet<number>;
  },
): number | null {
  if (seen.cards.length === 0) return null;
  const mine = seen.processes.filter(({ pid }) => pid !== null && pids.has(pid));
  if (mine.length > 0 || hiddenCards.size === 0)
    return mine.some(({ usedBytes }) => usedBytes === null)
      ? null
      : mine.reduce((sum, { usedBytes }) => sum + (usedBytes ?? 0), 0);
  let left = 0;
  for (const { index, memoryUsedBytes } of seen.cards) {
    if (!hiddenCards.has(index)) continue;
    if (memoryUsedBytes === null) return null;
    const others = seen.processes
      .filter(({ pid, gpuIndex }) => gpuIndex === index && pid !== null && seen.living.has(pid))
      .reduce((sum, { usedBytes }) => sum + (usedBytes ?? 0), 0);
    left += Math.max(0, memoryUsedBytes - others);
  }
  return left;
}

/**
 * Whether the window offers to free a job: a leftover, not another user's, with a process left that can be identified.
 * Main decides anew when it is asked.
 */
export function isOfferedForFreeing(job: Job): boolean {
  return (
    isFreeable(job) &&
    job.ownedByMe !== false &&
    job.members.some(({ process: { startTime, state } }) => startTime !== null && state !== 'Z')
  );
}
