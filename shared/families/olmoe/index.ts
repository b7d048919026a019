/** OLMoE and FlexOLMo, which norms after its branches as OLMo 2 does. */
import type { Family } from '../declaration';
import { readOlmoe } from './config';
import { simulateOlmoe } from './simulation';

export const family: Family = {
  name: 'olmoe',
  modelTypes: {
    olmoe: { kind: 'decoder', baseClass: 'OlmoeModel', read: readOlmoe },
    flex_olmo: { kind: 'decoder', baseClass: 'FlexOlmoModel', read: readOlmoe },
  },
  simulation: {
    simulate: simulateOlmoe,
    recorded: ['olmoe'],
  },
};
