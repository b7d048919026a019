/** OPT. */
import type { Family } from '../declaration';
import { readOpt } from './config';
import { simulateOpt } from './simulation';

export const family: Family = {
  name: 'opt',
  modelTypes: {
    opt: { kind: 'decoder', baseClass: 'OPTModel', read: readOpt },
  },
  simulation: {
    simulate: simulateOpt,
    recorded: ['opt'],
  },
};
