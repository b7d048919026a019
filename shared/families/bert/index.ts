/** BERT and the encoders shaped after it. */
import type { Family } from '../declaration';
import { readBert } from './config';
import { simulateBert } from './simulation';
import { isTrainedEncoder } from '../common/simulation/supported';

export const family: Family = {
  name: 'bert',
  modelTypes: {
    bert: { kind: 'model', baseClass: 'BertModel', read: readBert },
  },
  simulation: {
    simulate: simulateBert,
    recorded: ['bert'],
    supports: isTrainedEncoder,
  },
};
