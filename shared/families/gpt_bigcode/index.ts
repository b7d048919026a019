/** GPT-BigCode (SantaCoder, StarCoder). */
import type { Family } from '../declaration';
import { gptBigCode } from './config';
import { gptBigCodeLoss } from './simulation';

export const family: Family = {
  name: 'gpt_bigcode',
  modelTypes: {
    gpt_bigcode: { kind: 'decoder', baseClass: 'GPTBigCodeModel', read: gptBigCode },
  },
  simulation: {
    simulate: gptBigCodeLoss,
  },
};
