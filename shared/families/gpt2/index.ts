/** GPT-2. */
import type { Family } from '../declaration';
import { gpt2 } from './config';
import { gpt2Loss } from './simulation';

export const family: Family = {
  name: 'gpt2',
  modelTypes: {
    gpt2: { kind: 'decoder', baseClass: 'GPT2Model', read: gpt2 },
  },
  simulation: {
    simulate: gpt2Loss,
  },
};
