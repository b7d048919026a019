import { message } from '../../i18n/message';
import { GiB } from '../../units';
import { fusedAttention, plan, step } from '../advice/steps';
import { has } from '../judging/context';
import { requestOfCard } from '../judging/evidence';
import { requestIsHuge } from '../judging/numbers';
import type { CauseDefinition } from './definition';

export const attentionMathFallback = {
  name: 'attention_math_fallback',
  kind: 'oom',
  examples: {
    first: [
      'Traceback (most recent call last):\n  File "/env/lib/python3.11/site-packages/torch/nn/functional.py", line 5504, in multi_head_attention_forward\n    attn_output = scaled_dot_product_attention(q, k, v)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 30.00 GiB. GPU 0 has a total capacity of 39.39 GiB of which 27.00 GiB is free. Of the allocated memory 11.20 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: [
      'OutOfMemoryError: CUDA out of memory. Tried to allocate 10.73 GiB (GPU 0; 8.00 GiB total capacity; 17.20 GiB already allocated; 0 bytes free; 19.15 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.',
    ],
  },
  rules: [
    {
      when: (context) =>
        requestIsHuge(context) &&
        !has(context, 'attentionFrame') &&
        (context.failure.quantities.allocated ?? 0) > 2 * GiB,
      confidence: 0.4,
      evidence: (context) => [...requestOfCard(context), message('doctorEvidence.noFrameShown')],
    },
    {
      when: (context) => {
        const { tried, capacity } = context.failure.quantities;
        return (
          has(context, 'attentionFrame') && tried !== null && capacity !== null && tried > 0.25 * capacity
        );
      },
      confidence: (context) =>
        (context.failure.quantities.tried ?? 0) > 0.5 * (context.failure.quantities.capacity ?? Infinity)
          ? 0.88
          : 0.6,
      evidence: (context) => [message('doctorEvidence.attentionFrame'), ...requestOfCard(context)],
    },
  ],
  fixes: (context) => [
    fusedAttention(context),
    step('doctorFixes.fusedAttentionFits'),
    step('doctorFixes.smallerTensor'),
    plan(context),
  ],
  useless: [],
} as const satisfies CauseDefinition;
