/** Arcee AFM. */
import type { Family } from '../declaration';
import { readArcee } from './config';
import { simulateArcee } from './simulation';

export const family: Family = {
  name: 'arcee',
  modelTypes: {
    arcee: { kind: 'decoder', baseClass: 'ArceeModel', read: readArcee },
  },
  simulation: {
    simulate: simulateArcee,
    recorded: [],
  },
};
