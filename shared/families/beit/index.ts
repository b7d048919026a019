/** BEiT. */
import type { Family } from '../declaration';
import { beit } from './config';
import { beitLoss } from './simulation';
import { defaults } from './defaults';

export const family: Family = {
  name: 'beit',
  modelTypes: {
    beit: { kind: 'model', baseClass: 'BeitModel', read: beit, defaults: defaults.beit },
  },
  simulation: {
    simulate: beitLoss,
    supports: ({ head }) => head.kind === 'classifier',
  },
};
