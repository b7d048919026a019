/** Mixtral. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readMixtral } from './config';
import { simulateMixtral } from './simulation';

export const family: Family = {
  name: 'mixtral',
  modelTypes: {
    mixtral: { kind: 'decoder', baseClass: 'MixtralModel', read: readMixtral, defaults: defaults.mixtral },
  },
  simulation: {
    simulate: simulateMixtral,
    recorded: ['mixtral'],
  },
};
