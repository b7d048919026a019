/** BERT and the encoders shaped after it. */
import type { Family } from '../declaration';
import { bert } from './config';
import { bertLoss } from './simulation';
import { isTrainedEncoder } from '../common/simulation/supported';

export const family: Family = {
  name: 'bert',
  modelTypes: {
    bert: { kind: 'model', baseClass: 'BertModel', read: bert },
  },
  simulation: {
    simulate: bertLoss,
    supports: isTrainedEncoder,
  },
};
