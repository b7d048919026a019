/** GLM-4 9B in transformers. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readGlm } from './config';
import { simulateGlm } from './simulation';

export const family: Family = {
  name: 'glm',
  modelTypes: {
    glm: { kind: 'decoder', baseClass: 'GlmModel', read: readGlm, defaults: defaults.glm },
  },
  simulation: {
    simulate: simulateGlm,
    recorded: ['glm'],
  },
};
