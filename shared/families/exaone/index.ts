/** EXAONE 3. */
import type { Family } from '../declaration';
import { exaone3 } from './config';

export const family: Family = {
  name: 'exaone',
  modelTypes: {
    exaone: { kind: 'decoder', baseClass: 'ExaoneModel', read: exaone3 },
  },
  simulation: null,
};
