import { message } from '../../i18n/message';
import { microBatch, onTorch, plan, step } from '../advice/steps';
import { has } from '../judging/context';
import { requestOfCard } from '../judging/evidence';
import { ownFault } from '../judging/phases';
import type { CauseDefinition } from './definition';

export const logitsPeak = {
  name: 'logits_peak',
  kind: 'oom',
  examples: {
    first: [
      'Traceback (most recent call last):\n  File "/env/lib/python3.11/site-packages/transformers/loss/loss_utils.py", line 47, in ForCausalLMLoss\n    logits = logits.float()\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.83 GiB. GPU 0 has a total capacity of 39.39 GiB of which 3.00 GiB is free. Of the allocated memory 35.00 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: ['out of memory'],
  },
  rules: [
    {
      // Saving names the head's weight, too.
      when: (context) =>
        ownFault(context) && has(context, 'lossFrame') && !has(context, 'fsdpSaveWarning', 'saveFrame'),
      confidence: (context) => (has(context, 'userLossFrame') ? 0.66 : 0.8),
      evidence: (context) => [message('doctorEvidence.lossFrame'), ...requestOfCard(context)],
    },
  ],
  fixes: (context) => [
    step(
      'doctorFixes.chunkedLoss',
      onTorch(
        context,
        'torch.utils.checkpoint.checkpoint(loss_of_chunk, hidden, labels, use_reentrant=False)',
      ),
    ),
    step('doctorFixes.logitsOnlyNeeded', onTorch(context, 'model(…, logits_to_keep=…)')),
    microBatch(context),
    plan(context),
  ],
  useless: [],
} as const satisfies CauseDefinition;
