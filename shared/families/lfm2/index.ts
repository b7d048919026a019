/** LFM2, dense or with experts. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readLfm2 } from './config';

export const family: Family = {
  name: 'lfm2',
  modelTypes: {
    lfm2: { kind: 'decoder', baseClass: 'Lfm2Model', read: readLfm2, defaults: defaults.lfm2 },
    lfm2_moe: { kind: 'decoder', baseClass: 'Lfm2MoeModel', read: readLfm2 },
  },
  simulation: null,
};
