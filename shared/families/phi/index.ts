/** Phi-1, 1.5 and 2. */
import type { Family } from '../declaration';
import { phi } from './config';
import { simulatePhi } from './simulation';

export const family: Family = {
  name: 'phi',
  modelTypes: {
    phi: { kind: 'decoder', baseClass: 'PhiModel', read: phi },
    'phi-msft': { kind: 'decoder', baseClass: 'PhiModel', read: phi },
  },
  simulation: {
    simulate: simulatePhi,
  },
};
