/** EXAONE 4. */
import type { Family } from '../declaration';
import { readExaone4 } from './config';
import { simulateExaone4 } from './simulation';

export const family: Family = {
  name: 'exaone4',
  modelTypes: {
    exaone4: { kind: 'decoder', baseClass: 'Exaone4Model', read: readExaone4 },
  },
  simulation: {
    simulate: simulateExaone4,
    recorded: ['exaone4'],
  },
};
