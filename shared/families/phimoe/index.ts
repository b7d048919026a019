/** Phi-3.5-MoE. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readPhimoe } from './config';
import { simulatePhimoe } from './simulation';

export const family: Family = {
  name: 'phimoe',
  modelTypes: {
    phimoe: { kind: 'decoder', baseClass: 'PhimoeModel', read: readPhimoe, defaults: defaults.phimoe },
  },
  simulation: {
    simulate: simulatePhimoe,
    recorded: ['phimoe'],
  },
};
