import type { CardEstimate } from '../../shared/memory/cardEstimate';
import type { Estimate } from '../../shared/memory/estimate';

type CardJson = Omit<CardEstimate, 'unlimitedProcessBytes'>;

/** A card with the keys of the command's contract: what only the texts need is left out. */
export function cardJson({ unlimitedProcessBytes: _unlimited, ...card }: CardEstimate): CardJson {
  return card;
}

/** An estimate as the command prints it. */
export const estimateJson = (
  estimate: Estimate,
): Omit<Estimate, 'cards'> & { readonly cards: readonly CardJson[] } => ({
  ...estimate,
  cards: estimate.cards.map(cardJson),
});
