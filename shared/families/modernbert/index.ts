/** ModernBERT. */
import type { Family } from '../declaration';
import { isTrainedEncoder } from '../common/simulation/supported';
import { modernBert } from './config';
import { modernbertLoss } from './simulation';

export const family: Family = {
  name: 'modernbert',
  modelTypes: {
    modernbert: { kind: 'model', baseClass: 'ModernBertModel', read: modernBert },
  },
  simulation: {
    simulate: modernbertLoss,
    supports: isTrainedEncoder,
  },
};
