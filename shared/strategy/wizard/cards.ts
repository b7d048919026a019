/** From the answer of the step "Cards" to the cards, links and host memory of a question. */
import { message, type Message } from '../../i18n/message';
import { gpuModelNamed } from '../../gpu/modelNamed';
import { GiB } from '../../units';
import { readGpus } from '../gpus';
import { linksOfCard, linksOfTopology, type LinkSpeeds } from '../links';
import type { PlanCard } from '../types';
import type { CardsAnswer, LinkAnswer, PlanAnswers } from './answers';
import { defaultGivenCards } from './defaults';
import type { Machine } from './machine';

export type CardsReading =
  | {
      readonly kind: 'cards';
      readonly cards: readonly PlanCard[];
      /** The model of the first card; null: not known. */
      readonly cardName: string | null;
    }
  | { readonly kind: 'refused'; readonly why: Message };

/** What the step begins with where another kind of cards is chosen: all that are free, or two like the first one of this machine. */
export function firstCardsAnswer(source: CardsAnswer['kind'], { cards }: Machine): CardsAnswer {
  switch (source) {
    case 'detected':
      return { kind: 'detected', memory: 'free', leftOut: [] };
    case 'given':
      return { kind: 'given', text: defaultGivenCards, cardName: cards[0]?.name ?? null };
  }
}

/** The cards to plan for, or one line that says why there are none. */
export function readCards({ cards: answer }: PlanAnswers, machine: Machine): CardsReading {
  if (answer.kind === 'given') {
    const cards = readGpus(answer.text);
    if (cards === null)
      return { kind: 'refused', why: message('planSteps.badCards', { text: answer.text.slice(0, 80) }) };
    return { kind: 'cards', cards, cardName: answer.cardName };
  }
  if (machine.cards.length === 0) return { kind: 'refused', why: message('planSteps.noneDetected') };
  const used = machine.cards.filter(({ index }) => !answer.leftOut.includes(index));
  const [first] = used;
  if (first === undefined) return { kind: 'refused', why: message('planSteps.allLeftOut') };
  return {
    kind: 'cards',
    cards: used.map(({ freeBytes, index, totalBytes, usableBytes }) => ({
      index,
      totalBytes,
      freeBytes: answer.memory === 'free' ? freeBytes : usableBytes,
    })),
    cardName: first.name,
  };
}

/** NVLinks of a bridge between two GeForce or RTX cards. */
const bridgeLinks = 4;

/** Speeds between the cards that are used: as nvidia-smi says, as the card is sold, or as the person says. */
export function linksOf(
  { cards: answer, links }: PlanAnswers,
  machine: Machine,
  { cardName, cards }: Pick<Extract<CardsReading, { kind: 'cards' }>, 'cardName' | 'cards'>,
): LinkSpeeds {
  const card = cardName === null ? null : gpuModelNamed(cardName).card;
  if (links === 'auto') {
    if (answer.kind === 'given') return linksOfCard(card);
    const used = cards.map(({ index }) => `GPU${index}`);
    const between = machine.links.filter(
      ({ from, to }) => used.includes(from) && to !== null && used.includes(to),
    );
    return linksOfTopology(card, between);
  }
  const preset = linksOfCard(card);
  if (links === preset.kind) return { ...preset, read: true };
  const kind = links === 'nvlink' ? `NV${bridgeLinks}` : 'PHB';
  return linksOfTopology(card, [{ from: 'GPU0', to: 'GPU1', kind, link: null }]);
}

/** Memory of the machine that offloading may use, in bytes; null: not known. */
export function hostBytesOf({ cards, hostGib }: PlanAnswers, machine: Machine): number | null {
  if (hostGib !== null) return hostGib * GiB;
  if (cards.kind === 'given') return null;
  return cards.memory === 'free' ? machine.hostAvailableBytes : machine.hostTotalBytes;
}

/** What the machine has of it, for a person who may say something else. */
export function detectedHost(answers: PlanAnswers, machine: Machine): Message {
  const bytes = hostBytesOf({ ...answers, hostGib: null }, machine);
  return bytes === null ? message('planSteps.hostUnknown') : message('planSteps.hostDetected', { bytes });
}

/** The choice that leaves the links to us: as nvidia-smi tells them where it does. `speeds`: of the answer; null: not known. */
export const autoLinksName = (answer: LinkAnswer, speeds: LinkSpeeds | null): Message =>
  answer === 'auto' && speeds?.read === true
    ? message('planSteps.linksRead')
    : message('planSteps.linksAuto');
