/** GPT-J and CodeGen. */
import type { Family } from '../declaration';
import { readGptJ } from './config';
import { simulateGptJ } from './simulation';

export const family: Family = {
  name: 'gptj',
  modelTypes: {
    gptj: { kind: 'decoder', baseClass: 'GPTJModel', read: readGptJ },
    codegen: { kind: 'decoder', baseClass: 'CodeGenModel', read: readGptJ },
  },
  simulation: {
    simulate: simulateGptJ,
    recorded: ['gptj'],
  },
};
