/** Arcee AFM. */
import type { Family } from '../declaration';
import { arcee } from './config';
import { simulateArcee } from './simulation';

export const family: Family = {
  name: 'arcee',
  modelTypes: {
    arcee: { kind: 'decoder', baseClass: 'ArceeModel', read: arcee },
  },
  simulation: {
    simulate: simulateArcee,
  },
};
