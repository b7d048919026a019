/** AFMoE (Trinity). */
import type { Family } from '../declaration';
import { readAfmoe } from './config';

export const family: Family = {
  name: 'afmoe',
  modelTypes: {
    afmoe: { kind: 'decoder', baseClass: 'AfmoeModel', read: readAfmoe },
  },
  simulation: null,
};
