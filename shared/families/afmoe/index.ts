/** AFMoE (Trinity). */
import type { Family } from '../declaration';
import { afmoe } from './config';

export const family: Family = {
  name: 'afmoe',
  modelTypes: {
    afmoe: { kind: 'decoder', baseClass: 'AfmoeModel', read: afmoe },
  },
  simulation: null,
};
