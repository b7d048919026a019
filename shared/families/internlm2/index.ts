/** InternLM 2 and 2.5. */
import type { Family } from '../declaration';
import { readInternLm2 } from './config';

export const family: Family = {
  name: 'internlm2',
  modelTypes: {
    internlm2: { kind: 'decoder', baseClass: 'InternLM2Model', read: readInternLm2 },
  },
  simulation: null,
};
