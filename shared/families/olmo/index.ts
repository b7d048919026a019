/** OLMo. */
import type { Family } from '../declaration';
import { olmo } from './config';
import { simulateOlmo } from './simulation';

export const family: Family = {
  name: 'olmo',
  modelTypes: {
    olmo: { kind: 'decoder', baseClass: 'OlmoModel', read: olmo },
  },
  simulation: {
    simulate: simulateOlmo,
  },
};
