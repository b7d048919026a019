/** HyperCLOVA X SEED. */
import type { Family } from '../declaration';
import { readHyperclovax } from './config';
import { simulateHyperclovax } from './simulation';

export const family: Family = {
  name: 'hyperclovax',
  modelTypes: {
    hyperclovax: { kind: 'decoder', baseClass: 'HyperCLOVAXModel', read: readHyperclovax },
  },
  simulation: {
    simulate: simulateHyperclovax,
    recorded: [],
    unrecorded: () => 'its norms after the scaled branches',
  },
};
