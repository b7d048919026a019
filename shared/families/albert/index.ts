/** ALBERT. */
import type { Family } from '../declaration';
import { albert } from './config';
import { albertLoss } from './simulation';
import { isTrainedEncoder } from '../common/simulation/supported';

export const family: Family = {
  name: 'albert',
  modelTypes: {
    albert: { kind: 'model', baseClass: 'AlbertModel', read: albert },
  },
  simulation: {
    simulate: albertLoss,
    supports: isTrainedEncoder,
  },
};
