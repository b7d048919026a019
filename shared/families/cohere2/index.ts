/** Cohere 2. */
import type { Family } from '../declaration';
import { readCohere } from '../cohere/config';
import { defaults } from './defaults';
import { simulateCohere2 } from './simulation';

export const family: Family = {
  name: 'cohere2',
  modelTypes: {
    cohere2: { kind: 'decoder', baseClass: 'Cohere2Model', read: readCohere, defaults: defaults.cohere2 },
  },
  simulation: {
    simulate: simulateCohere2,
    recorded: ['cohere2'],
  },
};
