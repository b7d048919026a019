/** Cohere and Cohere 2 with experts. */
import type { Family } from '../declaration';
import { readCohere, readCohere2Moe } from './config';
import { simulateCohere } from './simulation';

export const family: Family = {
  name: 'cohere',
  modelTypes: {
    cohere: { kind: 'decoder', baseClass: 'CohereModel', read: readCohere },
    cohere2_moe: { kind: 'decoder', baseClass: 'Cohere2MoeModel', read: readCohere2Moe },
  },
  simulation: {
    simulate: simulateCohere,
    recorded: ['cohere'],
    unrecorded: ({ modelType }) => (modelType === 'cohere2_moe' ? 'its router' : null),
  },
};
