/** InternVL in transformers. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { internVl } from './config';
import { internVlTower } from './tower';

export const family: Family = {
  name: 'internvl',
  modelTypes: {
    internvl: { kind: 'model', baseClass: 'InternVLModel', read: internVl },
  },
  towers: {
    internvl_vision: { read: internVlTower, defaults: defaults.internvl_vision.part },
  },
  simulation: null,
};
