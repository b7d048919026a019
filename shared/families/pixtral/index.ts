/** Pixtral's tower, which Mistral 3 takes in. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readPixtral } from './config';

export const family: Family = {
  name: 'pixtral',
  modelTypes: {},
  towers: {
    pixtral: { read: readPixtral, defaults: defaults.pixtral.part },
  },
  simulation: null,
};
