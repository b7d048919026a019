/** Which of several cards decides whether a plan fits: one rule, for tables, sentences and refusals alike. */

/** A card and what a process is expected to hold on it, in bytes. */
export interface CardNeed {
  /** What the process can have; null: not known. */
  readonly cardBytes: number | null;
  /** Allocator and CUDA together. */
  readonly processBytes: number;
}

/** What is left of a card, in bytes; negative: what is missing. A card of unknown size has nothing to spare. */
export const roomBytes = ({ cardBytes, processBytes }: CardNeed): number => (cardBytes ?? 0) - processBytes;

/**
 * The card with the least room left beside what is expected on it; of equal ones the first, null where there is none. Where no size is
 * known, that is the card that holds most.
 *
 * Bytes and not shares: what runs out are bytes. A card of 80 GiB with 4 GiB left is farther from failing than one of 8 GiB with 1 GiB
 * left, though it is fuller. Expected bytes and not the interval's high end: they are what is shown beside the card, and where any
 * card lacks expected bytes, the one that is named does.
 */
export function tightestCard<Card extends CardNeed>(cards: readonly Card[]): Card | null {
  return tightest(cards, (card) => card);
}

/** The same for cards whose sizes go by other names. */
export function tightest<Card>(cards: readonly Card[], needOf: (card: Card) => CardNeed): Card | null {
  const roomOf = (card: Card): number => roomBytes(needOf(card));
  return cards.reduce<Card | null>(
    (least, card) => (least === null || roomOf(card) < roomOf(least) ? card : least),
    null,
  );
}
