/** OLMo 2 and 3. */
import type { Family } from '../declaration';
import { olmo2 } from './config';
import { simulateOlmo2 } from './simulation';

export const family: Family = {
  name: 'olmo2',
  modelTypes: {
    olmo2: { kind: 'decoder', baseClass: 'Olmo2Model', read: olmo2 },
    olmo3: { kind: 'decoder', baseClass: 'Olmo3Model', read: olmo2 },
  },
  simulation: {
    simulate: simulateOlmo2,
  },
};
