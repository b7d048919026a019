/** What the wizard knows of this machine, as of one Snapshot: it does not follow every second, or plans would never stand still. */
import type { WorkstationState } from '../../snapshot/types';
import type { CardLink } from '../../gpu/types';
import { jobBytesOnCard } from '../../snapshot/cardSplit';
import { noCorrection, type Correction } from '../../receipts/corrections';

interface MachineCard {
  readonly index: number;
  /** The model as the driver prints it; null: not said. */
  readonly name: string | null;
  readonly totalBytes: number;
  /** The card without the driver's reserve: what a process could have of it if nobody else used it. */
  readonly usableBytes: number;
  readonly freeBytes: number;
}

export interface Machine {
  readonly cards: readonly MachineCard[];
  /** How they are joined, as nvidia-smi says; empty: not known. */
  readonly links: readonly CardLink[];
  readonly hostTotalBytes: number | null;
  readonly hostAvailableBytes: number | null;
  /** The name of the job whose memory counts as free, because the plan shall take its place; null: there is none. */
  readonly replacedJob: string | null;
  /** What receipts of this machine teach about its cards. */
  readonly correction: Correction;
}

/** Cards that are lost or do not say how much they have are left out. `replacedJobId`: a job that will have ended. */
export function machineOf(
  { cards, host, jobs }: Pick<WorkstationState, 'cards' | 'host' | 'jobs'>,
  replacedJobId: string | null,
): Machine {
  const replaced = jobs.find(({ id }) => id === replacedJobId) ?? null;
  return {
    cards: cards.flatMap((card) => {
      const { index, lost, memoryReservedBytes, memoryTotalBytes, name } = card;
      if (lost || memoryTotalBytes === null || memoryTotalBytes <= 0) return [];
      const usableBytes = memoryTotalBytes - (memoryReservedBytes ?? 0);
      const free = freeBytes(card, usableBytes);
      if (free === null) return [];
      const back = replaced === null ? 0 : (jobBytesOnCard(replaced, index) ?? 0);
      return [
        {
          index,
          name,
          totalBytes: memoryTotalBytes,
          usableBytes,
          freeBytes: Math.min(usableBytes, free + back),
        },
      ];
    }),
    links: [],
    hostTotalBytes: host.memoryTotalBytes,
    hostAvailableBytes: availableBytes(host, replaced?.residentBytes ?? 0),
    replacedJob: replaced?.title ?? null,
    correction: noCorrection,
  };
}

/** As the driver says, else what is not in use; null where it says neither. */
function freeBytes(
  { memoryFreeBytes, memoryUsedBytes }: WorkstationState['cards'][number],
  usableBytes: number,
): number | null {
  if (memoryFreeBytes !== null) return memoryFreeBytes;
  return memoryUsedBytes === null ? null : Math.max(0, usableBytes - memoryUsedBytes);
}

function availableBytes(host: WorkstationState['host'], back: number): number | null {
  const { memoryAvailableBytes, memoryTotalBytes } = host;
  if (memoryAvailableBytes === null) return null;
  return Math.min(memoryTotalBytes ?? Infinity, memoryAvailableBytes + back);
}

/** Free memory wavers all the time; from here on a difference is worth a word. */
const worthTellingBytes = 512 * 2 ** 20;

/** Whether the machine has other cards than when it was looked at, or more is known of them: their names come a little later. */
export function hasOtherCards(then: Machine, now: Machine): boolean {
  return (
    then.cards.length !== now.cards.length ||
    then.cards.some((card, place) => {
      const other = now.cards[place];
      return (['index', 'name', 'totalBytes', 'usableBytes'] as const).some(
        (fact) => card[fact] !== other?.[fact],
      );
    })
  );
}

/** Whether much more or much less is free than when the machine was looked at. */
export function hasMoved(then: Machine, now: Machine): boolean {
  return then.cards.some(({ freeBytes }, place) => {
    const card = now.cards[place];
    return card !== undefined && Math.abs(card.freeBytes - freeBytes) >= worthTellingBytes;
  });
}
