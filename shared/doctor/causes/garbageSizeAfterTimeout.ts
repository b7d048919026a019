import { message } from '../../i18n/message';
import { step } from '../advice/steps';
import { matchesFormat } from '../judging/context';
import type { CauseDefinition } from './definition';

export const garbageSizeAfterTimeout = {
  name: 'garbage_size_after_timeout',
  kind: 'nccl',
  examples: {
    first: ['torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate more than 1EB memory.'],
    other: ['RuntimeError: [Rank 0]: Ranks 3 failed to pass monitoredBarrier in 1800000 ms'],
  },
  rules: [
    {
      when: (context) => matchesFormat(context, 'P-1EB'),
      confidence: 0.92,
      evidence: () => [message('doctorEvidence.garbageSize')],
    },
  ],
  fixes: () => [step('doctorFixes.seeFirstFailure'), step('doctorFixes.findFirstRank')],
  useless: [],
} as const satisfies CauseDefinition;
