/** ALBERT. */
import type { Family } from '../declaration';
import { readAlbert } from './config';
import { simulateAlbert } from './simulation';
import { isTrainedEncoder } from '../common/simulation/supported';

export const family: Family = {
  name: 'albert',
  modelTypes: {
    albert: { kind: 'model', baseClass: 'AlbertModel', read: readAlbert },
  },
  simulation: {
    simulate: simulateAlbert,
    recorded: ['albert'],
    supports: isTrainedEncoder,
  },
};
