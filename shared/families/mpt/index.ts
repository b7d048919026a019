/** MPT as transformers has it. */
import type { Family } from '../declaration';
import { readMpt } from './config';
import { simulateMpt } from './simulation';

export const family: Family = {
  name: 'mpt',
  modelTypes: {
    mpt: { kind: 'decoder', baseClass: 'MptModel', read: readMpt },
  },
  simulation: {
    simulate: simulateMpt,
    recorded: ['mpt'],
  },
};
