/** Phi-1, 1.5 and 2. */
import type { Family } from '../declaration';
import { readPhi } from './config';
import { simulatePhi } from './simulation';

export const family: Family = {
  name: 'phi',
  modelTypes: {
    phi: { kind: 'decoder', baseClass: 'PhiModel', read: readPhi },
    'phi-msft': { kind: 'decoder', baseClass: 'PhiModel', read: readPhi },
  },
  simulation: {
    simulate: simulatePhi,
    recorded: ['phi'],
  },
};
