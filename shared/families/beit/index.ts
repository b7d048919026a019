/** BEiT. */
import type { Family } from '../declaration';
import { readBeit } from './config';
import { simulateBeit } from './simulation';
import { defaults } from './defaults';

export const family: Family = {
  name: 'beit',
  modelTypes: {
    beit: { kind: 'model', baseClass: 'BeitModel', read: readBeit, defaults: defaults.beit },
  },
  simulation: {
    simulate: simulateBeit,
    recorded: ['beit'],
    supports: ({ head }) => head.kind === 'classifier',
  },
};
