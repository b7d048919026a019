/** Qwen2, and the models with its code. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readQwen2, readQwen2Like } from './config';
import { simulateQwen2 } from './simulation';

export const family: Family = {
  name: 'qwen2',
  modelTypes: {
    qwen2: { kind: 'decoder', baseClass: 'Qwen2Model', read: readQwen2, defaults: defaults.qwen2 },
    mimo: { kind: 'decoder', baseClass: 'MiMoModel', read: readQwen2Like },
    dream: { kind: 'decoder', baseClass: 'DreamModel', read: readQwen2 },
    qwen2_vl_text: {
      kind: 'decoder',
      baseClass: 'Qwen2VLTextModel',
      read: readQwen2,
      defaults: defaults.qwen2_vl_text,
    },
    qwen2_5_vl_text: {
      kind: 'decoder',
      baseClass: 'Qwen2_5_VLTextModel',
      read: readQwen2,
      defaults: defaults.qwen2_5_vl_text,
    },
    qwen2_5_omni_text: { kind: 'decoder', baseClass: 'Qwen2_5OmniThinkerTextModel', read: readQwen2 },
  },
  simulation: {
    simulate: simulateQwen2,
    recorded: ['qwen2'],
  },
};
