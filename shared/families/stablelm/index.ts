/** StableLM and StableLM 2. */
import type { Family } from '../declaration';
import { simulateStablelm } from './simulation';
import { readStablelm } from './config';

export const family: Family = {
  name: 'stablelm',
  modelTypes: {
    stablelm: { kind: 'decoder', baseClass: 'StableLmModel', read: readStablelm },
  },
  simulation: {
    simulate: simulateStablelm,
    recorded: ['stablelm'],
  },
};
