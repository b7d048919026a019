import type { Card } from '../gpu/types';

/** What a card goes by in the settings: its UUID, which outlives a new order of the cards, or its index without one. */
export function cardKey({ uuid, index }: Pick<Card, 'uuid' | 'index'>): string {
  return uuid ?? `index ${index}`;
}

/** The indices of those cards that raise nothing. */
export function mutedIndices(cards: readonly Card[], muted: readonly string[]): readonly number[] {
  return cards.filter((card) => muted.includes(cardKey(card))).map(({ index }) => index);
}
