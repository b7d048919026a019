/** RWKV 4, 5 and 6. */
import type { Family } from '../declaration';
import { readRwkv4, readRwkv5, readRwkv6 } from './config';

export const family: Family = {
  name: 'rwkv',
  modelTypes: {
    rwkv: { kind: 'decoder', baseClass: 'RwkvModel', read: readRwkv4 },
    rwkv5: { kind: 'decoder', baseClass: 'Rwkv5Model', read: readRwkv5 },
    rwkv6: { kind: 'decoder', baseClass: 'Rwkv6Model', read: readRwkv6 },
  },
  simulation: null,
};
