import { message } from '../../i18n/message';
import { fewerWorkers, hostMemory, pageFile } from '../advice/steps';
import { requestAndFree } from '../judging/evidence';
import { freeIsEnough } from '../judging/numbers';
import type { CauseDefinition } from './definition';

export const freeGtRequest = {
  name: 'free_gt_request',
  kind: 'oom',
  examples: {
    first: [
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 31.73 GiB of which 12.35 GiB is free. Of the allocated memory 10.00 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: ['out of memory'],
  },
  rules: [
    {
      when: (context) => freeIsEnough(context) && context.failure.fresh,
      confidence: 0.8,
      evidence: (context) => [...requestAndFree(context), message('doctorEvidence.driverRefused')],
    },
  ],
  fixes: (context) => [hostMemory(context), pageFile(context), fewerWorkers(context)],
  useless: [message('doctorAdvice.smallerBatchRefused')],
} as const satisfies CauseDefinition;
