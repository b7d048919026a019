/** MPNet. */
import type { Family } from '../declaration';
import { isTrainedEncoder } from '../common/simulation/supported';
import { readMpnet } from './config';
import { simulateMpnet } from './simulation';

export const family: Family = {
  name: 'mpnet',
  modelTypes: {
    mpnet: { kind: 'model', baseClass: 'MPNetModel', read: readMpnet },
  },
  simulation: {
    simulate: simulateMpnet,
    recorded: ['mpnet'],
    supports: isTrainedEncoder,
  },
};
