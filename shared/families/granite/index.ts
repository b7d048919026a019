/** Granite. */
import type { Family } from '../declaration';
import { readGranite } from './config';
import { simulateGranite } from './simulation';

export const family: Family = {
  name: 'granite',
  modelTypes: {
    granite: { kind: 'decoder', baseClass: 'GraniteModel', read: readGranite },
  },
  simulation: {
    simulate: simulateGranite,
    recorded: ['granite'],
  },
};
