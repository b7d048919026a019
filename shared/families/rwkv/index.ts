/** RWKV 4, 5 and 6. */
import type { Family } from '../declaration';
import { rwkv4, rwkv5, rwkv6 } from './config';

export const family: Family = {
  name: 'rwkv',
  modelTypes: {
    rwkv: { kind: 'decoder', baseClass: 'RwkvModel', read: rwkv4 },
    rwkv5: { kind: 'decoder', baseClass: 'Rwkv5Model', read: rwkv5 },
    rwkv6: { kind: 'decoder', baseClass: 'Rwkv6Model', read: rwkv6 },
  },
  simulation: null,
};
