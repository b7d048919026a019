/** Qwen3.5, dense or with experts. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readQwen35 } from './config';
import { readQwen35Vision, readQwen35MoeVision } from './vision';

export const family: Family = {
  name: 'qwen3_5',
  modelTypes: {
    qwen3_5_text: {
      kind: 'decoder',
      baseClass: 'Qwen3_5TextModel',
      read: readQwen35,
      defaults: defaults.qwen3_5_text,
    },
    qwen3_5_moe_text: {
      kind: 'decoder',
      baseClass: 'Qwen3_5MoeTextModel',
      read: readQwen35,
      defaults: defaults.qwen3_5_moe_text,
    },
    qwen3_5: { kind: 'model', baseClass: 'Qwen3_5Model', read: readQwen35Vision },
    qwen3_5_moe: { kind: 'model', baseClass: 'Qwen3_5MoeModel', read: readQwen35MoeVision },
  },
  simulation: null,
};
