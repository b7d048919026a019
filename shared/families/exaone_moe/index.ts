/** EXAONE MoE. */
import type { Family } from '../declaration';
import { readExaoneMoe } from './config';
import { simulateExaoneMoe } from './simulation';

export const family: Family = {
  name: 'exaone_moe',
  modelTypes: {
    exaone_moe: { kind: 'decoder', baseClass: 'ExaoneMoeModel', read: readExaoneMoe },
  },
  simulation: {
    simulate: simulateExaoneMoe,
    recorded: [],
  },
};
