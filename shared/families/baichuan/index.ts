/** Baichuan 1 and 2. */
import type { Family } from '../declaration';
import { readBaichuan } from './config';

export const family: Family = {
  name: 'baichuan',
  modelTypes: {
    baichuan: { kind: 'decoder', baseClass: 'BaichuanModel', read: readBaichuan },
  },
  simulation: null,
};
