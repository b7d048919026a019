/** RoBERTa. */
import type { Family } from '../declaration';
import { isTrainedEncoder } from '../common/simulation/supported';
import { roberta, xlmRoberta } from './config';
import { robertaLoss } from './simulation';

export const family: Family = {
  name: 'roberta',
  modelTypes: {
    roberta: { kind: 'model', baseClass: 'RobertaModel', read: roberta },
    'xlm-roberta': { kind: 'model', baseClass: 'XLMRobertaModel', read: xlmRoberta },
    camembert: { kind: 'model', baseClass: 'CamembertModel', read: xlmRoberta },
  },
  simulation: {
    simulate: robertaLoss,
    supports: isTrainedEncoder,
  },
};
