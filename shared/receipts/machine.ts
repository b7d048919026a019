import type { WorkstationState } from '../snapshot/types';
import { correctionFor, noCorrection, type Correction } from './corrections';
import type { Receipt } from './types';

/** What receipts teach about the cards of a machine. One with cards of several kinds is not corrected: a plan may use any of them. */
export function correctionOfMachine(
  { cards, driverVersion }: Pick<WorkstationState, 'cards' | 'driverVersion'>,
  receipts: readonly Receipt[],
): Correction {
  const names = new Set(cards.map(({ name }) => name));
  const [name] = names;
  return names.size === 1 ? correctionFor(receipts, name ?? null, driverVersion) : noCorrection;
}
