/** OLMo. */
import type { Family } from '../declaration';
import { readOlmo } from './config';
import { simulateOlmo } from './simulation';

export const family: Family = {
  name: 'olmo',
  modelTypes: {
    olmo: { kind: 'decoder', baseClass: 'OlmoModel', read: readOlmo },
  },
  simulation: {
    simulate: simulateOlmo,
    recorded: ['olmo'],
  },
};
