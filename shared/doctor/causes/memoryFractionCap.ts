import { message } from '../../i18n/message';
import { microBatch, onTorch, plan, step } from '../advice/steps';
import { isStory } from '../judging/context';
import { requestAndFree } from '../judging/evidence';
import { fractionIsCapped } from '../judging/numbers';
import type { CauseDefinition } from './definition';

export const memoryFractionCap = {
  name: 'memory_fraction_cap',
  kind: 'oom',
  examples: {
    first: [
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 139.80 GiB of which 130.00 GiB is free. 8.00 GiB allowed; Of the allocated memory 7.90 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: ['out of memory'],
  },
  rules: [
    {
      when: (context) => isStory(context, 'gpu-oom') && fractionIsCapped(context),
      confidence: 0.92,
      evidence: (context) => {
        const { allowed, capacity } = context.failure.quantities;
        return [message('doctorEvidence.allowed', { allowed, capacity }), ...requestAndFree(context)];
      },
    },
  ],
  fixes: (context) => [
    step('doctorFixes.liftFraction', onTorch(context, 'torch.cuda.set_per_process_memory_fraction(1.0)')),
    microBatch(context),
    plan(context),
  ],
  useless: [],
} as const satisfies CauseDefinition;
