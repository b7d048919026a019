/** Qwen3-MoE. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readQwen3Moe } from './config';
import { simulateQwen3Moe } from './simulation';

export const family: Family = {
  name: 'qwen3_moe',
  modelTypes: {
    qwen3_moe: {
      kind: 'decoder',
      baseClass: 'Qwen3MoeModel',
      read: readQwen3Moe,
      defaults: defaults.qwen3_moe,
    },
    qwen3_omni_moe_text: { kind: 'decoder', baseClass: 'Qwen3OmniMoeThinkerTextModel', read: readQwen3Moe },
    qwen3_vl_moe_text: {
      kind: 'decoder',
      baseClass: 'Qwen3VLMoeTextModel',
      read: readQwen3Moe,
      defaults: defaults.qwen3_vl_moe_text,
    },
  },
  simulation: {
    simulate: simulateQwen3Moe,
    recorded: ['qwen3_moe'],
  },
};
