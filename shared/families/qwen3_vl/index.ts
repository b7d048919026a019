/** Qwen3-VL, dense or with experts. */
import type { Family } from '../declaration';
import { readQwen3Vl, readQwen3VlMoe } from './config';

export const family: Family = {
  name: 'qwen3_vl',
  modelTypes: {
    qwen3_vl: { kind: 'model', baseClass: 'Qwen3VLModel', read: readQwen3Vl },
    qwen3_vl_moe: { kind: 'model', baseClass: 'Qwen3VLMoeModel', read: readQwen3VlMoe },
  },
  simulation: null,
};
