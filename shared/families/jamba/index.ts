/** Jamba. */
import type { Family } from '../declaration';
import { jamba } from './config';

export const family: Family = {
  name: 'jamba',
  modelTypes: {
    jamba: { kind: 'decoder', baseClass: 'JambaModel', read: jamba },
  },
  simulation: null,
};
