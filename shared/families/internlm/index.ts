/** InternLM and InternLM 3. */
import type { Family } from '../declaration';
import { readInternLm, readInternLm3 } from './config';
import { simulateInternlm } from './simulation';

export const family: Family = {
  name: 'internlm',
  modelTypes: {
    internlm: { kind: 'decoder', baseClass: 'InternLMModel', read: readInternLm },
    internlm3: { kind: 'decoder', baseClass: 'InternLM3Model', read: readInternLm3 },
  },
  simulation: {
    simulate: simulateInternlm,
    recorded: [],
  },
};
