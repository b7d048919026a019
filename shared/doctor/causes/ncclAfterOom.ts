import { message } from '../../i18n/message';
import { step } from '../advice/steps';
import { isStory } from '../judging/context';
import { memoryFailure } from '../judging/ranks';
import type { CauseDefinition } from './definition';

export const ncclAfterOom = {
  name: 'nccl_after_oom',
  kind: 'nccl',
  examples: {
    first: [],
    other: ['RuntimeError: [Rank 0]: Ranks 3 failed to pass monitoredBarrier in 1800000 ms'],
    among: [
      '[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 40.00 MiB is free. Of the allocated memory 22.60 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.\n[rank0]: [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600037 milliseconds before timing out.',
    ],
  },
  rules: [
    {
      when: (context) => isStory(context, 'nccl-wait') && memoryFailure(context) !== null,
      confidence: 0.92,
      evidence: (context) => {
        const first = memoryFailure(context);
        if (first === null) return [];
        const { line, rank } = first;
        return [
          rank === null
            ? message('doctorEvidence.afterMemoryFailureAt', { line })
            : message('doctorEvidence.afterMemoryFailure', { line, rank }),
        ];
      },
    },
  ],
  fixes: () => [step('doctorFixes.seeFirstFailure')],
  useless: [message('doctorAdvice.raiseTimeout')],
} as const satisfies CauseDefinition;
