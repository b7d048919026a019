/** gpt-oss. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readGptOss } from './config';
import { simulateGptOss } from './simulation';

export const family: Family = {
  name: 'gpt_oss',
  modelTypes: {
    gpt_oss: { kind: 'decoder', baseClass: 'GptOssModel', read: readGptOss, defaults: defaults.gpt_oss },
  },
  simulation: {
    simulate: simulateGptOss,
    recorded: ['gpt_oss'],
  },
};
