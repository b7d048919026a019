/** GPT-BigCode (SantaCoder, StarCoder). */
import type { Family } from '../declaration';
import { readGptBigCode } from './config';
import { simulateGptBigCode } from './simulation';

export const family: Family = {
  name: 'gpt_bigcode',
  modelTypes: {
    gpt_bigcode: { kind: 'decoder', baseClass: 'GPTBigCodeModel', read: readGptBigCode },
  },
  simulation: {
    simulate: simulateGptBigCode,
    recorded: ['gpt_bigcode'],
  },
};
