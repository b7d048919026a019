/** Bamba. */
import type { Family } from '../declaration';
import { bamba } from './config';

export const family: Family = {
  name: 'bamba',
  modelTypes: {
    bamba: { kind: 'decoder', baseClass: 'BambaModel', read: bamba },
  },
  simulation: null,
};
