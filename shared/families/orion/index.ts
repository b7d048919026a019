/** Orion. */
import type { Family } from '../declaration';
import { orion } from './config';
import { simulateOrion } from './simulation';

export const family: Family = {
  name: 'orion',
  modelTypes: {
    orion: { kind: 'decoder', baseClass: 'OrionModel', read: orion },
  },
  simulation: {
    simulate: simulateOrion,
  },
};
