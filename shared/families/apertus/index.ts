/** Apertus. */
import type { Family } from '../declaration';
import { apertus } from './config';
import { simulateApertus } from './simulation';

export const family: Family = {
  name: 'apertus',
  modelTypes: {
    apertus: { kind: 'decoder', baseClass: 'ApertusModel', read: apertus },
  },
  simulation: {
    simulate: simulateApertus,
    unrecorded: () => 'its activation',
  },
};
