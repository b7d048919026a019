/** Qwen2-VL. */
import type { Family } from '../declaration';
import { readQwen2Vl } from './config';

export const family: Family = {
  name: 'qwen2_vl',
  modelTypes: {
    qwen2_vl: { kind: 'model', baseClass: 'Qwen2VLModel', read: readQwen2Vl },
  },
  simulation: null,
};
