/** XGLM. */
import type { Family } from '../declaration';
import { xglm } from './config';

export const family: Family = {
  name: 'xglm',
  modelTypes: {
    xglm: { kind: 'decoder', baseClass: 'XGLMModel', read: xglm },
  },
  simulation: null,
};
