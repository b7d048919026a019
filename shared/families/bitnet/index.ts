/** BitNet b1.58. */
import type { Family } from '../declaration';
import { bitnet } from './config';
import { defaults } from './defaults';

export const family: Family = {
  name: 'bitnet',
  modelTypes: {
    bitnet: { kind: 'decoder', baseClass: 'BitNetModel', read: bitnet, defaults: defaults.bitnet },
  },
  simulation: null,
};
