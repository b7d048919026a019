/** GPT-2. */
import type { Family } from '../declaration';
import { readGpt2 } from './config';
import { simulateGpt2 } from './simulation';

export const family: Family = {
  name: 'gpt2',
  modelTypes: {
    gpt2: { kind: 'decoder', baseClass: 'GPT2Model', read: readGpt2 },
  },
  simulation: {
    simulate: simulateGpt2,
    recorded: ['gpt2'],
  },
};
