/** Mistral. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readMistral } from './config';
import { simulateMistral } from './simulation';

export const family: Family = {
  name: 'mistral',
  modelTypes: {
    mistral: { kind: 'decoder', baseClass: 'MistralModel', read: readMistral, defaults: defaults.mistral },
    ministral3: {
      kind: 'decoder',
      baseClass: 'Ministral3Model',
      read: readMistral,
      defaults: defaults.ministral3,
    },
  },
  simulation: {
    simulate: simulateMistral,
    recorded: ['mistral'],
  },
};
