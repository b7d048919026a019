/** XGLM. */
import type { Family } from '../declaration';
import { readXglm } from './config';

export const family: Family = {
  name: 'xglm',
  modelTypes: {
    xglm: { kind: 'decoder', baseClass: 'XGLMModel', read: readXglm },
  },
  simulation: null,
};
