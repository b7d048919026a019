/** GLM-4.5, GLM-4.6 and Solar Open. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readGlm4Moe, readSolarOpen } from './config';
import { simulateGlm4Moe } from './simulation';

export const family: Family = {
  name: 'glm4_moe',
  modelTypes: {
    glm4_moe: { kind: 'decoder', baseClass: 'Glm4MoeModel', read: readGlm4Moe, defaults: defaults.glm4_moe },
    solar_open: {
      kind: 'decoder',
      baseClass: 'SolarOpenModel',
      read: readSolarOpen,
      defaults: defaults.solar_open,
    },
  },
  simulation: {
    simulate: simulateGlm4Moe,
    recorded: ['glm4_moe'],
  },
};
