/** Qwen1.5-MoE and Qwen2-MoE. */
import type { Family } from '../declaration';
import { readQwen2Moe } from './config';
import { simulateQwen2Moe } from './simulation';

export const family: Family = {
  name: 'qwen2_moe',
  modelTypes: {
    qwen2_moe: { kind: 'decoder', baseClass: 'Qwen2MoeModel', read: readQwen2Moe },
  },
  simulation: {
    simulate: simulateQwen2Moe,
    recorded: ['qwen2_moe'],
  },
};
