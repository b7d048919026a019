/** Qwen2, and the models with its code. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { qwen2, qwen2Like } from './config';
import { simulateQwen2 } from './simulation';

export const family: Family = {
  name: 'qwen2',
  modelTypes: {
    qwen2: { kind: 'decoder', baseClass: 'Qwen2Model', read: qwen2, defaults: defaults.qwen2 },
    mimo: { kind: 'decoder', baseClass: 'MiMoModel', read: qwen2Like },
    dream: { kind: 'decoder', baseClass: 'DreamModel', read: qwen2 },
    qwen2_vl_text: {
      kind: 'decoder',
      baseClass: 'Qwen2VLTextModel',
      read: qwen2,
      defaults: defaults.qwen2_vl_text,
    },
    qwen2_5_vl_text: {
      kind: 'decoder',
      baseClass: 'Qwen2_5_VLTextModel',
      read: qwen2,
      defaults: defaults.qwen2_5_vl_text,
    },
    qwen2_5_omni_text: { kind: 'decoder', baseClass: 'Qwen2_5OmniThinkerTextModel', read: qwen2 },
  },
  simulation: {
    simulate: simulateQwen2,
  },
};
