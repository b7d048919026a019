/** DeepSeek V3.2 and GLM 5. */
import type { Family } from '../declaration';
import { readDeepseekSparse } from './config';
import { defaults } from './defaults';

export const family: Family = {
  name: 'deepseek_v32',
  modelTypes: {
    deepseek_v32: {
      kind: 'decoder',
      baseClass: 'DeepseekV32Model',
      read: readDeepseekSparse,
      defaults: defaults.deepseek_v32,
    },
    glm_moe_dsa: {
      kind: 'decoder',
      baseClass: 'GlmMoeDsaModel',
      read: readDeepseekSparse,
      defaults: defaults.glm_moe_dsa,
    },
  },
  simulation: null,
};
