/** Helium. */
import type { Family } from '../declaration';
import { readHelium } from './config';
import { simulateHelium } from './simulation';

export const family: Family = {
  name: 'helium',
  modelTypes: {
    helium: { kind: 'decoder', baseClass: 'HeliumModel', read: readHelium },
  },
  simulation: {
    simulate: simulateHelium,
    recorded: [],
  },
};
