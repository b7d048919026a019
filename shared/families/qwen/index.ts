/** Qwen 1. */
import type { Family } from '../declaration';
import { qwen1 } from './config';

export const family: Family = {
  name: 'qwen',
  modelTypes: {
    qwen: { kind: 'decoder', baseClass: 'QWenModel', read: qwen1 },
  },
  simulation: null,
};
