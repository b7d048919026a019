/** OLMo 2 and 3. */
import type { Family } from '../declaration';
import { readOlmo2 } from './config';
import { simulateOlmo2 } from './simulation';

export const family: Family = {
  name: 'olmo2',
  modelTypes: {
    olmo2: { kind: 'decoder', baseClass: 'Olmo2Model', read: readOlmo2 },
    olmo3: { kind: 'decoder', baseClass: 'Olmo3Model', read: readOlmo2 },
  },
  simulation: {
    simulate: simulateOlmo2,
    recorded: ['olmo2'],
  },
};
