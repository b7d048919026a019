import { message } from '../../i18n/message';
import { microBatch, step } from '../advice/steps';
import { has, matchesFormat } from '../judging/context';
import { ownFault } from '../judging/phases';
import type { CauseDefinition } from './definition';

export const denseSampleSpike = {
  name: 'dense_sample_spike',
  kind: 'oom',
  examples: {
    first: [
      'Traceback (most recent call last):\n  File "/env/lib/python3.11/site-packages/ultralytics/utils/tal.py", line 71, in forward\n    mask_pos, align_metric, overlaps = self.get_pos_mask(pd_scores)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.20 GiB. GPU 0 has a total capacity of 14.75 GiB of which 800.00 MiB is free. Of the allocated memory 11.00 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: ['out of memory'],
  },
  rules: [
    {
      when: (context) => ownFault(context) && has(context, 'denseFrame', 'manyInstances'),
      confidence: (context) => (matchesFormat(context, 'd2-retry') ? 0.55 : 0.78),
      evidence: () => [message('doctorEvidence.denseFrame')],
    },
  ],
  fixes: (context) => [step('doctorFixes.limitInstances'), microBatch(context)],
  useless: [],
} as const satisfies CauseDefinition;
