/** InternVL in transformers. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readInternVl } from './config';
import { readInternVlTower } from './tower';

export const family: Family = {
  name: 'internvl',
  modelTypes: {
    internvl: { kind: 'model', baseClass: 'InternVLModel', read: readInternVl },
  },
  towers: {
    internvl_vision: { read: readInternVlTower, defaults: defaults.internvl_vision.part },
  },
  simulation: null,
};
