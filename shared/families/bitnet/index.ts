/** BitNet b1.58. */
import type { Family } from '../declaration';
import { readBitnet } from './config';
import { defaults } from './defaults';

export const family: Family = {
  name: 'bitnet',
  modelTypes: {
    bitnet: { kind: 'decoder', baseClass: 'BitNetModel', read: readBitnet, defaults: defaults.bitnet },
  },
  simulation: null,
};
