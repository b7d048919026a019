/** GPT-Neo. */
import type { Family } from '../declaration';
import { readGptNeo } from './config';
import { simulateGptNeo } from './simulation';

export const family: Family = {
  name: 'gpt_neo',
  modelTypes: {
    gpt_neo: { kind: 'decoder', baseClass: 'GPTNeoModel', read: readGptNeo },
  },
  simulation: {
    simulate: simulateGptNeo,
    recorded: ['gpt_neo'],
  },
};
