/** Qwen3.5, dense or with experts. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { qwen35 } from './config';
import { qwen35Vision, qwen35MoeVision } from './vision';

export const family: Family = {
  name: 'qwen3_5',
  modelTypes: {
    qwen3_5_text: {
      kind: 'decoder',
      baseClass: 'Qwen3_5TextModel',
      read: qwen35,
      defaults: defaults.qwen3_5_text,
    },
    qwen3_5_moe_text: {
      kind: 'decoder',
      baseClass: 'Qwen3_5MoeTextModel',
      read: qwen35,
      defaults: defaults.qwen3_5_moe_text,
    },
    qwen3_5: { kind: 'model', baseClass: 'Qwen3_5Model', read: qwen35Vision },
    qwen3_5_moe: { kind: 'model', baseClass: 'Qwen3_5MoeModel', read: qwen35MoeVision },
  },
  simulation: null,
};
