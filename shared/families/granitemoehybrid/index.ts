/** Granite 4. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { graniteHybrid } from './config';

export const family: Family = {
  name: 'granite_hybrid',
  modelTypes: {
    granitemoehybrid: {
      kind: 'decoder',
      baseClass: 'GraniteMoeHybridModel',
      read: graniteHybrid,
      defaults: defaults.granitemoehybrid,
    },
  },
  simulation: null,
};
