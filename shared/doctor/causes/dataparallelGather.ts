import { message } from '../../i18n/message';
import { microBatch, plan, step } from '../advice/steps';
import { has, isStory } from '../judging/context';
import type { CauseDefinition } from './definition';

export const dataparallelGather = {
  name: 'dataparallel_gather',
  kind: 'oom',
  examples: {
    first: [
      'Traceback (most recent call last):\n  File "/env/lib/python3.11/site-packages/torch/nn/parallel/data_parallel.py", line 168, in gather\n    return gather(outputs, output_device, dim=self.dim)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 40.00 MiB is free. Of the allocated memory 22.60 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: ['out of memory'],
  },
  rules: [
    {
      when: (context) => isStory(context, 'gpu-oom') && has(context, 'dataParallelFrame'),
      confidence: (context) =>
        context.failure.facts.gpuIndex === 0 || context.failure.facts.gpuIndex === null ? 0.85 : 0.45,
      evidence: () => [message('doctorEvidence.dataParallelFrame')],
    },
  ],
  fixes: (context) => [
    step('doctorFixes.distributedDataParallel', 'torchrun --nproc_per_node=… train.py'),
    microBatch(context),
    plan(context),
  ],
  useless: [],
} as const satisfies CauseDefinition;
