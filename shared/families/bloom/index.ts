/** BLOOM. */
import type { Family } from '../declaration';
import { readBloom } from './config';
import { simulateBloom } from './simulation';

export const family: Family = {
  name: 'bloom',
  modelTypes: {
    bloom: { kind: 'decoder', baseClass: 'BloomModel', read: readBloom },
  },
  simulation: {
    simulate: simulateBloom,
    recorded: ['bloom'],
  },
};
