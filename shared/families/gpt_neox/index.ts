/** GPT-NeoX (Pythia, RedPajama, Dolly). */
import type { Family } from '../declaration';
import { gptNeoX } from './config';
import { gptNeoxLoss } from './simulation';

export const family: Family = {
  name: 'gpt_neox',
  modelTypes: {
    gpt_neox: { kind: 'decoder', baseClass: 'GPTNeoXModel', read: gptNeoX },
  },
  simulation: {
    simulate: gptNeoxLoss,
  },
};
