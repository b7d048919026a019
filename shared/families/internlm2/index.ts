/** InternLM 2 and 2.5. */
import type { Family } from '../declaration';
import { internLm2 } from './config';

export const family: Family = {
  name: 'internlm2',
  modelTypes: {
    internlm2: { kind: 'decoder', baseClass: 'InternLM2Model', read: internLm2 },
  },
  simulation: null,
};
