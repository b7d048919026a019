/** Helium. */
import type { Family } from '../declaration';
import { helium } from './config';
import { simulateHelium } from './simulation';

export const family: Family = {
  name: 'helium',
  modelTypes: {
    helium: { kind: 'decoder', baseClass: 'HeliumModel', read: helium },
  },
  simulation: {
    simulate: simulateHelium,
  },
};
