/** Granite. */
import type { Family } from '../declaration';
import { granite } from './config';
import { simulateGranite } from './simulation';

export const family: Family = {
  name: 'granite',
  modelTypes: {
    granite: { kind: 'decoder', baseClass: 'GraniteModel', read: granite },
  },
  simulation: {
    simulate: simulateGranite,
  },
};
