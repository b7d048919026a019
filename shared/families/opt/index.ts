/** OPT. */
import type { Family } from '../declaration';
import { opt } from './config';
import { optLoss } from './simulation';

export const family: Family = {
  name: 'opt',
  modelTypes: {
    opt: { kind: 'decoder', baseClass: 'OPTModel', read: opt },
  },
  simulation: {
    simulate: optLoss,
  },
};
