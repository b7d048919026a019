/** DeepSeek V4. */
import type { Family } from '../declaration';
import { readDeepseekV4 } from './config';

export const family: Family = {
  name: 'deepseek_v4',
  modelTypes: {
    deepseek_v4: { kind: 'decoder', baseClass: 'DeepseekV4Model', read: readDeepseekV4 },
  },
  simulation: null,
};
