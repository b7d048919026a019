/** Qwen3. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readQwen3 } from './config';
import { simulateQwen3 } from './simulation';

export const family: Family = {
  name: 'qwen3',
  modelTypes: {
    qwen3: { kind: 'decoder', baseClass: 'Qwen3Model', read: readQwen3, defaults: defaults.qwen3 },
    qwen3_vl_text: {
      kind: 'decoder',
      baseClass: 'Qwen3VLTextModel',
      read: readQwen3,
      defaults: defaults.qwen3_vl_text,
    },
  },
  simulation: {
    simulate: simulateQwen3,
    recorded: ['qwen3'],
  },
};
