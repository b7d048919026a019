/** Kimi K2.5. */
import type { Family } from '../declaration';
import { readKimiK25 } from './config';

export const family: Family = {
  name: 'kimi_k25',
  modelTypes: {
    kimi_k25: { kind: 'model', baseClass: 'KimiK25Model', read: readKimiK25 },
  },
  simulation: null,
};
