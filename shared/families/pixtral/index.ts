/** Pixtral's tower, which Mistral 3 takes in. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { pixtral } from './config';

export const family: Family = {
  name: 'pixtral',
  modelTypes: {},
  towers: {
    pixtral: { read: pixtral, defaults: defaults.pixtral.part },
  },
  simulation: null,
};
