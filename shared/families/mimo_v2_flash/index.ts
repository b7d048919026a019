/** MiMo V2. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readMimoV2 } from './config';

export const family: Family = {
  name: 'mimo_v2',
  modelTypes: {
    mimo_v2_flash: {
      kind: 'decoder',
      baseClass: 'MiMoV2FlashModel',
      read: readMimoV2,
      defaults: defaults.mimo_v2_flash,
    },
  },
  simulation: null,
};
