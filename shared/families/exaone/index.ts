/** EXAONE 3. */
import type { Family } from '../declaration';
import { readExaone3 } from './config';

export const family: Family = {
  name: 'exaone',
  modelTypes: {
    exaone: { kind: 'decoder', baseClass: 'ExaoneModel', read: readExaone3 },
  },
  simulation: null,
};
