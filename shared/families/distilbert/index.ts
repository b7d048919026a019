/** DistilBERT. */
import type { Family } from '../declaration';
import { readDistilbert } from './config';
import { simulateDistilbert } from './simulation';
import { isTrainedEncoder } from '../common/simulation/supported';

export const family: Family = {
  name: 'distilbert',
  modelTypes: {
    distilbert: { kind: 'model', baseClass: 'DistilBertModel', read: readDistilbert },
  },
  simulation: {
    simulate: simulateDistilbert,
    recorded: ['distilbert'],
    supports: isTrainedEncoder,
  },
};
