/** MPNet. */
import type { Family } from '../declaration';
import { isTrainedEncoder } from '../common/simulation/supported';
import { mpnet } from './config';
import { mpnetLoss } from './simulation';

export const family: Family = {
  name: 'mpnet',
  modelTypes: {
    mpnet: { kind: 'model', baseClass: 'MPNetModel', read: mpnet },
  },
  simulation: {
    simulate: mpnetLoss,
    supports: isTrainedEncoder,
  },
};
