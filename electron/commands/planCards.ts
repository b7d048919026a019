/** The cards that `headroom plan` plans for: named, or those of this machine as they are now. */
import { topologyLinks } from '../sensing/topology';
import type { CardLink } from '../../shared/gpu/types';
import { message } from '../../shared/i18n/message';
import type { GpuModel } from '../../shared/gpu/models';
import { readGpus } from '../../shared/strategy/gpus';
import { linksOfCard, linksOfTopology, type LinkSpeeds } from '../../shared/strategy/links';
import type { PlanCard } from '../../shared/strategy/types';
import { CommandError } from './command';
import { liveSnapshots } from './liveSnapshots';

export interface PlanMachine {
  readonly cards: readonly PlanCard[];
  /** The model of the first card; null: not known. */
  readonly cardName: string | null;
  readonly hostBytes: number | null;
  readonly linksFor: (card: GpuModel | null) => LinkSpeeds;
}

/** Cards by sizes; `count` of them where one size is given for all. Throws CommandError where the text names none. */
export function givenCards(text: string, count: number | null): PlanMachine {
  const read = readGpus(text);
  if (read === null) throw new CommandError(message('planCommand.badGpus', { value: text.slice(0, 80) }));
  const [first] = read;
  const cards =
    count !== null && read.length === 1 && first !== undefined
      ? Array.from({ length: count }, (_, index) => ({ ...first, index }))
      : read;
  return { cards, cardName: null, hostBytes: null, linksFor: linksOfCard };
}

/** One look at this machine. Throws CommandError where there is no card. */
export async function detectCards(signal: AbortSignal): Promise<PlanMachine> {
  for await (const snapshot of liveSnapshots({ sceneId: null, intervalSeconds: 1, once: true }, signal)) {
    const cards = snapshot.cards.flatMap(({ index, lost, memoryFreeBytes, memoryTotalBytes }) =>
      lost || memoryFreeBytes === null || memoryTotalBytes === null
        ? []
        : [{ index, totalBytes: memoryTotalBytes, freeBytes: memoryFreeBytes }],
    );
    if (cards.length === 0) break;
    const links: readonly CardLink[] = cards.length > 1 ? await topologyLinks(signal) : [];
    return {
      cards,
      cardName: snapshot.cards.find(({ name }) => name !== null)?.name ?? null,
      hostBytes: snapshot.host.memoryAvailableBytes,
      linksFor: (card) => linksOfTopology(card, links),
    };
  }
  throw new CommandError(message('planCommand.noneDetected'));
}
