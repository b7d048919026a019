/** Yuan 2. */
import type { Family } from '../declaration';
import { yuan } from './config';

export const family: Family = {
  name: 'yuan',
  modelTypes: {
    yuan: { kind: 'decoder', baseClass: 'YuanModel', read: yuan },
  },
  simulation: null,
};
