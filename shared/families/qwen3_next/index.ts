/** Qwen3-Next. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readQwen3Next } from './config';

export const family: Family = {
  name: 'qwen3_next',
  modelTypes: {
    qwen3_next: {
      kind: 'decoder',
      baseClass: 'Qwen3NextModel',
      read: readQwen3Next,
      defaults: defaults.qwen3_next,
    },
  },
  simulation: null,
};
