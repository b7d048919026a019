/** Qwen3-VL, dense or with experts. */
import type { Family } from '../declaration';
import { qwen3Vl, qwen3VlMoe } from './config';

export const family: Family = {
  name: 'qwen3_vl',
  modelTypes: {
    qwen3_vl: { kind: 'model', baseClass: 'Qwen3VLModel', read: qwen3Vl },
    qwen3_vl_moe: { kind: 'model', baseClass: 'Qwen3VLMoeModel', read: qwen3VlMoe },
  },
  simulation: null,
};
