/** Phi-3 and Phi-4. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readPhi3 } from './config';
import { simulatePhi3 } from './simulation';

export const family: Family = {
  name: 'phi3',
  modelTypes: {
    phi3: { kind: 'decoder', baseClass: 'Phi3Model', read: readPhi3, defaults: defaults.phi3 },
  },
  simulation: {
    simulate: simulatePhi3,
    recorded: ['phi3'],
  },
};
