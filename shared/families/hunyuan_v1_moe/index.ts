/** Hunyuan-Large and A13B. */
import type { Family } from '../declaration';
import { readHunyuanMoe } from './config';
import { simulateHunyuanV1Moe } from './simulation';

export const family: Family = {
  name: 'hunyuan_v1_moe',
  modelTypes: {
    hunyuan_v1_moe: { kind: 'decoder', baseClass: 'HunYuanMoEV1Model', read: readHunyuanMoe },
  },
  simulation: {
    simulate: simulateHunyuanV1Moe,
    recorded: [],
    unrecorded: () => 'its router and its norms behind the rotation',
  },
};
