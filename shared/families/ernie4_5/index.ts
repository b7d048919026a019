/** ERNIE 4.5, dense. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readErnie45 } from './config';
import { simulateErnie45 } from './simulation';

export const family: Family = {
  name: 'ernie4_5',
  modelTypes: {
    ernie4_5: { kind: 'decoder', baseClass: 'Ernie4_5Model', read: readErnie45, defaults: defaults.ernie4_5 },
  },
  simulation: {
    simulate: simulateErnie45,
    recorded: [],
  },
};
