/** Cohere and Cohere 2 with experts. */
import type { Family } from '../declaration';
import { cohere, cohere2Moe } from './config';
import { simulateCohere } from './simulation';

export const family: Family = {
  name: 'cohere',
  modelTypes: {
    cohere: { kind: 'decoder', baseClass: 'CohereModel', read: cohere },
    cohere2_moe: { kind: 'decoder', baseClass: 'Cohere2MoeModel', read: cohere2Moe },
  },
  simulation: {
    simulate: simulateCohere,
    unrecorded: ({ modelType }) => (modelType === 'cohere2_moe' ? 'its router' : null),
  },
};
