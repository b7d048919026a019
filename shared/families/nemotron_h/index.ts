/** Nemotron-H. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readNemotronH } from './config';

export const family: Family = {
  name: 'nemotron_h',
  modelTypes: {
    nemotron_h: {
      kind: 'decoder',
      baseClass: 'NemotronHModel',
      read: readNemotronH,
      defaults: defaults.nemotron_h,
    },
  },
  simulation: null,
};
