import type { Card } from '../../gpu/types';
import type { Imbalance } from '../types';
import { message } from '../../i18n/message';

/** nvidia-smi counts cards by bus, CUDA by speed unless CUDA_DEVICE_ORDER says otherwise: `cuda:0` is another card. */
export function cardOrder(cards: readonly Card[]): readonly Imbalance[] {
  const differing = cards.filter((card) => card.cudaOrdinal !== null && card.cudaOrdinal !== card.index);
  const first = differing[0];
  if (first === undefined) return [];
  return [
    {
      kind: 'card-order',
      gpuIndices: differing.map(({ index }) => index),
      jobIds: [],
      what: message('imbalance.orderWhat', { card: first.index, ordinal: first.cudaOrdinal }),
      why: message('imbalance.orderWhy'),
      remedy: message('imbalance.orderRemedy'),
    },
  ];
}
