/** Bamba. */
import type { Family } from '../declaration';
import { readBamba } from './config';

export const family: Family = {
  name: 'bamba',
  modelTypes: {
    bamba: { kind: 'decoder', baseClass: 'BambaModel', read: readBamba },
  },
  simulation: null,
};
