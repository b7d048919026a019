/** EXAONE MoE. */
import type { Family } from '../declaration';
import { exaoneMoe } from './config';
import { simulateExaoneMoe } from './simulation';

export const family: Family = {
  name: 'exaone_moe',
  modelTypes: {
    exaone_moe: { kind: 'decoder', baseClass: 'ExaoneMoeModel', read: exaoneMoe },
  },
  simulation: {
    simulate: simulateExaoneMoe,
  },
};
