/** ModernBERT. */
import type { Family } from '../declaration';
import { isTrainedEncoder } from '../common/simulation/supported';
import { readModernBert } from './config';
import { simulateModernbert } from './simulation';

export const family: Family = {
  name: 'modernbert',
  modelTypes: {
    modernbert: { kind: 'model', baseClass: 'ModernBertModel', read: readModernBert },
  },
  simulation: {
    simulate: simulateModernbert,
    recorded: ['modernbert'],
    supports: isTrainedEncoder,
  },
};
