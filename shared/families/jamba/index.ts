/** Jamba. */
import type { Family } from '../declaration';
import { readJamba } from './config';

export const family: Family = {
  name: 'jamba',
  modelTypes: {
    jamba: { kind: 'decoder', baseClass: 'JambaModel', read: readJamba },
  },
  simulation: null,
};
