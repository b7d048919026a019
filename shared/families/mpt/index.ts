/** MPT as transformers has it. */
import type { Family } from '../declaration';
import { mpt } from './config';
import { mptLoss } from './simulation';

export const family: Family = {
  name: 'mpt',
  modelTypes: {
    mpt: { kind: 'decoder', baseClass: 'MptModel', read: mpt },
  },
  simulation: {
    simulate: mptLoss,
  },
};
