/** Granite 4. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readGraniteHybrid } from './config';

export const family: Family = {
  name: 'granite_hybrid',
  modelTypes: {
    granitemoehybrid: {
      kind: 'decoder',
      baseClass: 'GraniteMoeHybridModel',
      read: readGraniteHybrid,
      defaults: defaults.granitemoehybrid,
    },
  },
  simulation: null,
};
