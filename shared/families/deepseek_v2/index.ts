/** DeepSeek V2. */
import type { Family } from '../declaration';
import { readDeepseekV2 } from './config';
import { defaults } from './defaults';
import { simulateDeepseekV2 } from './simulation';

export const family: Family = {
  name: 'deepseek_v2',
  modelTypes: {
    deepseek_v2: {
      kind: 'decoder',
      baseClass: 'DeepseekV2Model',
      read: readDeepseekV2,
      defaults: defaults.deepseek_v2,
    },
  },
  simulation: {
    simulate: simulateDeepseekV2,
    recorded: ['deepseek_v2'],
  },
};
