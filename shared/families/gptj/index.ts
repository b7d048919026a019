/** GPT-J and CodeGen. */
import type { Family } from '../declaration';
import { gptJ } from './config';
import { gptJLoss } from './simulation';

export const family: Family = {
  name: 'gptj',
  modelTypes: {
    gptj: { kind: 'decoder', baseClass: 'GPTJModel', read: gptJ },
    codegen: { kind: 'decoder', baseClass: 'CodeGenModel', read: gptJ },
  },
  simulation: {
    simulate: gptJLoss,
  },
};
