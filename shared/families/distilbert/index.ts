/** DistilBERT. */
import type { Family } from '../declaration';
import { distilbert } from './config';
import { distilbertLoss } from './simulation';
import { isTrainedEncoder } from '../common/simulation/supported';

export const family: Family = {
  name: 'distilbert',
  modelTypes: {
    distilbert: { kind: 'model', baseClass: 'DistilBertModel', read: distilbert },
  },
  simulation: {
    simulate: distilbertLoss,
    supports: isTrainedEncoder,
  },
};
