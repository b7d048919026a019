/** ELECTRA. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { electra } from './config';
import { electraLoss } from './simulation';
import { isTrainedEncoder } from '../common/simulation/supported';

export const family: Family = {
  name: 'electra',
  modelTypes: {
    electra: { kind: 'model', baseClass: 'ElectraModel', read: electra, defaults: defaults.electra },
  },
  simulation: {
    simulate: electraLoss,
    supports: isTrainedEncoder,
  },
};
