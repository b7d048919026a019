/** Qwen2.5-VL. */
import type { Family } from '../declaration';
import { readQwen25Vl } from './config';

export const family: Family = {
  name: 'qwen2_5_vl',
  modelTypes: {
    qwen2_5_vl: { kind: 'model', baseClass: 'Qwen2_5_VLModel', read: readQwen25Vl },
  },
  simulation: null,
};
