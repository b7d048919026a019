/** Memory in use that no listed process holds: by whom is then looked for among all open files, and said if it stays. */
import type { WorkstationState } from '../../shared/snapshot/types';
import { cardProblem, machineProblem } from '../../shared/gpu/problems';
import type { Problem } from '../../shared/gpu/types';
import { GiB } from '../../shared/units';
import type { ProcessReading } from './processTable';

/** Contexts, display and driver take some hundred MiB that no process is charged with. */
const leastBytes = GiB;
const leastShare = 0.05;
/** The lists of cards and processes lag behind each other by a tick. */
const ticksUntilSaid = 3;

export class UnattributedMemory {
  private readonly ticks = new Map<number, number>();

  /** True when it was seen in the last tick. */
  isSuspicious(): boolean {
    return [...this.ticks.values()].some((count) => count > 0);
  }

  /** The Problems of this tick. */
  problems(snapshot: WorkstationState, { world, facts }: ProcessReading): readonly Problem[] {
    const said = snapshot.cards.flatMap((card): Problem[] => {
      const { index, memoryUsedBytes, memoryTotalBytes, lost, sharesHostMemory } = card;
      // Most of a memory that is shared belongs to programs that no card lists.
      const bytes = lost || sharesHostMemory ? null : unattributedBytes(snapshot, index, memoryUsedBytes);
      const limit = Math.max(leastBytes, leastShare * (memoryTotalBytes ?? 0));
      const count = bytes !== null && bytes > limit ? (this.ticks.get(index) ?? 0) + 1 : 0;
      this.ticks.set(index, count);
      if (count < ticksUntilSaid || bytes === null) return [];
      return [cardProblem('memory-unattributed', { index, label: String(index) }, bytes)];
    });
    const outside =
      world.hidden.has('otherNamespaces') &&
      (said.length > 0 ||
        facts.some(({ unreadable }) => unreadable.some(({ reason }) => reason === 'otherNamespace')));
    return outside ? [...said, machineProblem('outside-namespace')] : said;
  }
}

/** Null where the card or one of its processes does not say how much it uses. */
function unattributedBytes(
  snapshot: WorkstationState,
  index: number,
  usedBytes: number | null,
): number | null {
  const sizes = snapshot.processes
    .filter(({ gpuIndex }) => gpuIndex === index)
    .map((process) => process.usedBytes);
  if (usedBytes === null || sizes.includes(null)) return null;
  return usedBytes - sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
}
