/** Qwen 1. */
import type { Family } from '../declaration';
import { readQwen1 } from './config';

export const family: Family = {
  name: 'qwen',
  modelTypes: {
    qwen: { kind: 'decoder', baseClass: 'QWenModel', read: readQwen1 },
  },
  simulation: null,
};
