/** GLM-4V. */
import type { Family } from '../declaration';
import { readGlm4v } from './config';

export const family: Family = {
  name: 'glm4v',
  modelTypes: {
    glm4v: { kind: 'model', baseClass: 'Glm4vModel', read: readGlm4v },
  },
  simulation: null,
};
