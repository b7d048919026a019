/** Jais 2. */
import type { Family } from '../declaration';
import { readJais2 } from './config';
import { simulateJais2 } from './simulation';

export const family: Family = {
  name: 'jais2',
  modelTypes: {
    jais2: { kind: 'decoder', baseClass: 'Jais2Model', read: readJais2 },
  },
  simulation: {
    simulate: simulateJais2,
    recorded: [],
  },
};
