/** Mistral. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { mistral } from './config';
import { simulateMistral } from './simulation';

export const family: Family = {
  name: 'mistral',
  modelTypes: {
    mistral: { kind: 'decoder', baseClass: 'MistralModel', read: mistral, defaults: defaults.mistral },
    ministral3: {
      kind: 'decoder',
      baseClass: 'Ministral3Model',
      read: mistral,
      defaults: defaults.ministral3,
    },
  },
  simulation: {
    simulate: simulateMistral,
  },
};
