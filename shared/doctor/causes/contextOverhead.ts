import { message } from '../../i18n/message';
import { findHolder, lowerDeviceShare } from '../advice/steps';
import { matchesFormat } from '../judging/context';
import { isShortByLittle, startupEvidence } from '../judging/holders';
import type { CauseDefinition } from './definition';

export const contextOverhead = {
  name: 'context_overhead',
  kind: 'oom',
  examples: {
    first: [
      'ValueError: Free memory on device cuda:0 (21.02/22.05 GiB) on startup is less than desired GPU memory utilization (0.955, 21.06 GiB).',
    ],
    other: ['out of memory'],
  },
  rules: [
    {
      when: (context) => matchesFormat(context, 'vllm-startup') && isShortByLittle(context),
      confidence: 0.6,
      evidence: startupEvidence,
    },
  ],
  fixes: (context) => [lowerDeviceShare(context), findHolder(context)],
  useless: [message('doctorAdvice.smallerBatchNotReached')],
} as const satisfies CauseDefinition;
