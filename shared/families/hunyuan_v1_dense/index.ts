/** Hunyuan's dense models. */
import type { Family } from '../declaration';
import { readHunyuanDense } from './config';
import { simulateHunyuanV1Dense } from './simulation';

export const family: Family = {
  name: 'hunyuan_v1_dense',
  modelTypes: {
    hunyuan_v1_dense: { kind: 'decoder', baseClass: 'HunYuanDenseV1Model', read: readHunyuanDense },
  },
  simulation: {
    simulate: simulateHunyuanV1Dense,
    recorded: [],
    unrecorded: () => 'its norms behind the rotation',
  },
};
