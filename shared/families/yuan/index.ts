/** Yuan 2. */
import type { Family } from '../declaration';
import { readYuan } from './config';

export const family: Family = {
  name: 'yuan',
  modelTypes: {
    yuan: { kind: 'decoder', baseClass: 'YuanModel', read: readYuan },
  },
  simulation: null,
};
