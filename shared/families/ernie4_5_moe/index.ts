/** ERNIE 4.5. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readErnie45Moe } from './config';
import { simulateErnie45Moe } from './simulation';

export const family: Family = {
  name: 'ernie4_5_moe',
  modelTypes: {
    ernie4_5_moe: {
      kind: 'decoder',
      baseClass: 'Ernie4_5_MoeModel',
      read: readErnie45Moe,
      defaults: defaults.ernie4_5_moe,
    },
  },
  simulation: {
    simulate: simulateErnie45Moe,
    recorded: [],
    unrecorded: () => 'its router',
  },
};
