/** ELECTRA. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readElectra } from './config';
import { simulateElectra } from './simulation';
import { isTrainedEncoder } from '../common/simulation/supported';

export const family: Family = {
  name: 'electra',
  modelTypes: {
    electra: { kind: 'model', baseClass: 'ElectraModel', read: readElectra, defaults: defaults.electra },
  },
  simulation: {
    simulate: simulateElectra,
    recorded: ['electra'],
    supports: isTrainedEncoder,
  },
};
