import type { Imbalance } from '../../shared/contract/snapshot';

/** Another count of the cards is a note; everything else costs memory or time. */
export function imbalanceLevel({ kind }: Imbalance): 'info' | 'warning' {
  return kind === 'card-order' ? 'info' : 'warning';
}
