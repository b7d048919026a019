/** BLOOM. */
import type { Family } from '../declaration';
import { bloom } from './config';
import { bloomLoss } from './simulation';

export const family: Family = {
  name: 'bloom',
  modelTypes: {
    bloom: { kind: 'decoder', baseClass: 'BloomModel', read: bloom },
  },
  simulation: {
    simulate: bloomLoss,
  },
};
