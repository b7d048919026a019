/** GPT-Neo. */
import type { Family } from '../declaration';
import { gptNeo } from './config';
import { gptNeoLoss } from './simulation';

export const family: Family = {
  name: 'gpt_neo',
  modelTypes: {
    gpt_neo: { kind: 'decoder', baseClass: 'GPTNeoModel', read: gptNeo },
  },
  simulation: {
    simulate: gptNeoLoss,
  },
};
