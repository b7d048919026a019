/** InternLM and InternLM 3. */
import type { Family } from '../declaration';
import { internLm, internLm3 } from './config';
import { simulateInternlm } from './simulation';

export const family: Family = {
  name: 'internlm',
  modelTypes: {
    internlm: { kind: 'decoder', baseClass: 'InternLMModel', read: internLm },
    internlm3: { kind: 'decoder', baseClass: 'InternLM3Model', read: internLm3 },
  },
  simulation: {
    simulate: simulateInternlm,
  },
};
