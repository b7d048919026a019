/** Orion. */
import type { Family } from '../declaration';
import { readOrion } from './config';
import { simulateOrion } from './simulation';

export const family: Family = {
  name: 'orion',
  modelTypes: {
    orion: { kind: 'decoder', baseClass: 'OrionModel', read: readOrion },
  },
  simulation: {
    simulate: simulateOrion,
    recorded: [],
  },
};
