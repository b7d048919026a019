/** Nemotron (Minitron, Nemotron-4). */
import type { Family } from '../declaration';
import { readNemotron } from './config';
import { simulateNemotron } from './simulation';

export const family: Family = {
  name: 'nemotron',
  modelTypes: {
    nemotron: { kind: 'decoder', baseClass: 'NemotronModel', read: readNemotron },
  },
  simulation: {
    simulate: simulateNemotron,
    recorded: ['nemotron'],
  },
};
