/** Nemotron's searched models (DeciLM). */
import type { Family } from '../declaration';
import { readDeciLm } from './config';

export const family: Family = {
  name: 'nemotron_nas',
  modelTypes: {
    'nemotron-nas': { kind: 'decoder', baseClass: 'DeciLMModel', read: readDeciLm },
    deci: { kind: 'decoder', baseClass: 'DeciLMModel', read: readDeciLm },
  },
  simulation: null,
};
