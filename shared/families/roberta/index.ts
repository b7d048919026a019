/** RoBERTa. */
import type { Family } from '../declaration';
import { isTrainedEncoder } from '../common/simulation/supported';
import { readRoberta, readXlmRoberta } from './config';
import { simulateRoberta } from './simulation';

export const family: Family = {
  name: 'roberta',
  modelTypes: {
    roberta: { kind: 'model', baseClass: 'RobertaModel', read: readRoberta },
    'xlm-roberta': { kind: 'model', baseClass: 'XLMRobertaModel', read: readXlmRoberta },
    camembert: { kind: 'model', baseClass: 'CamembertModel', read: readXlmRoberta },
  },
  simulation: {
    simulate: simulateRoberta,
    recorded: ['roberta', 'xlm-roberta'],
    supports: isTrainedEncoder,
  },
};
