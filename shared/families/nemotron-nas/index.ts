/** Nemotron's searched models (DeciLM). */
import type { Family } from '../declaration';
import { deciLm } from './config';

export const family: Family = {
  name: 'nemotron_nas',
  modelTypes: {
    'nemotron-nas': { kind: 'decoder', baseClass: 'DeciLMModel', read: deciLm },
    deci: { kind: 'decoder', baseClass: 'DeciLMModel', read: deciLm },
  },
  simulation: null,
};
