/** DeepSeek V3 and Kimi K2. */
import type { Family } from '../declaration';
import { readDeepseekV3, readLatentGlm, readMistral4 } from './config';
import { defaults } from './defaults';
import { simulateDeepseekV3 } from './simulation';

export const family: Family = {
  name: 'deepseek_v3',
  modelTypes: {
    deepseek_v3: {
      kind: 'decoder',
      baseClass: 'DeepseekV3Model',
      read: readDeepseekV3,
      defaults: defaults.deepseek_v3,
    },
    kimi_k2: { kind: 'decoder', baseClass: 'DeepseekV3Model', read: readDeepseekV3 },
    glm4_moe_lite: {
      kind: 'decoder',
      baseClass: 'Glm4MoeLiteModel',
      read: readLatentGlm,
      defaults: defaults.glm4_moe_lite,
    },
    mistral4: {
      kind: 'decoder',
      baseClass: 'Mistral4Model',
      read: readMistral4,
      defaults: defaults.mistral4,
    },
  },
  simulation: {
    simulate: simulateDeepseekV3,
    recorded: ['deepseek_v3'],
  },
};
