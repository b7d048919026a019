/** Apertus. */
import type { Family } from '../declaration';
import { readApertus } from './config';
import { simulateApertus } from './simulation';

export const family: Family = {
  name: 'apertus',
  modelTypes: {
    apertus: { kind: 'decoder', baseClass: 'ApertusModel', read: readApertus },
  },
  simulation: {
    simulate: simulateApertus,
    recorded: [],
    unrecorded: () => 'its activation',
  },
};
