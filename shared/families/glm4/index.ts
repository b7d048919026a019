/** GLM-4 0414 and the language model of GLM-4V. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readGlm4 } from './config';
import { simulateGlm4 } from './simulation';

export const family: Family = {
  name: 'glm4',
  modelTypes: {
    glm4: { kind: 'decoder', baseClass: 'Glm4Model', read: readGlm4, defaults: defaults.glm4 },
    glm4v_text: {
      kind: 'decoder',
      baseClass: 'Glm4vTextModel',
      read: readGlm4,
      defaults: defaults.glm4v_text,
    },
  },
  simulation: {
    simulate: simulateGlm4,
    recorded: ['glm4'],
  },
};
