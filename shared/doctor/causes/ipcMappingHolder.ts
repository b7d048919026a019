import { message } from '../../i18n/message';
import { findHolder, step } from '../advice/steps';
import { has, matchesFormat } from '../judging/context';
import { outside } from '../judging/evidence';
import { othersHoldMuch } from '../judging/numbers';
import type { CauseDefinition } from './definition';

export const ipcMappingHolder = {
  name: 'ipc_mapping_holder',
  kind: 'zombie',
  examples: {
    first: [],
    other: [
      'lmcache server is running on all cards\nValueError: Free memory on device cuda:5 (65.75/178.35 GiB) on startup is less than desired GPU memory utilization (0.85, 151.6 GiB).',
    ],
    among: [
      'lmcache server is running on all cards\nValueError: Free memory on device cuda:5 (65.75/178.35 GiB) on startup is less than desired GPU memory utilization (0.85, 151.6 GiB).',
    ],
  },
  rules: [
    {
      when: (context) =>
        has(context, 'cacheServerWords') &&
        (othersHoldMuch(context) || matchesFormat(context, 'vllm-startup')),
      confidence: 0.72,
      evidence: (context) => [message('doctorEvidence.cacheServer'), ...outside(context)],
    },
  ],
  fixes: (context) => [step('doctorFixes.restartHelper'), findHolder(context)],
  useless: [
    message('doctorAdvice.smallerBatchForeign'),
    message('doctorAdvice.killByName'),
    message('doctorAdvice.fuserKill'),
  ],
} as const satisfies CauseDefinition;
