/** T5 and its kin (mT5, UMT5, Flan). */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readT5 } from './config';
import { simulateT5 } from './simulation';

export const family: Family = {
  name: 't5',
  modelTypes: {
    t5: { kind: 'model', baseClass: 'T5Model', read: readT5 },
    mt5: { kind: 'model', baseClass: 'MT5Model', read: readT5, defaults: defaults.mt5 },
    umt5: { kind: 'model', baseClass: 'UMT5Model', read: readT5, defaults: defaults.umt5 },
  },
  simulation: {
    simulate: simulateT5,
    recorded: ['mt5', 't5'],
    supports: ({ head }) => head.kind === 'language-model',
    unrecorded: ({ modelType }) => (modelType === 'umt5' ? 'its tables of each layer' : null),
  },
};
