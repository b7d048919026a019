/** Mistral Small 3 and Ministral 3. */
import type { Family } from '../declaration';
import { readMistral3 } from './config';

export const family: Family = {
  name: 'mistral3',
  modelTypes: {
    mistral3: { kind: 'model', baseClass: 'Mistral3Model', read: readMistral3 },
  },
  simulation: null,
};
