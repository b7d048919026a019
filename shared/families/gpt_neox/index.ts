/** GPT-NeoX (Pythia, RedPajama, Dolly). */
import type { Family } from '../declaration';
import { readGptNeoX } from './config';
import { simulateGptNeox } from './simulation';

export const family: Family = {
  name: 'gpt_neox',
  modelTypes: {
    gpt_neox: { kind: 'decoder', baseClass: 'GPTNeoXModel', read: readGptNeoX },
  },
  simulation: {
    simulate: simulateGptNeox,
    recorded: ['gpt_neox'],
  },
};
