import { message } from '../../i18n/message';
import { microBatch, step } from '../advice/steps';
import { has } from '../judging/context';
import { requestOfCard } from '../judging/evidence';
import { ownFault } from '../judging/phases';
import type { CauseDefinition } from './definition';

export const customLossExtraLogits = {
  name: 'custom_loss_extra_logits',
  kind: 'oom',
  examples: {
    first: [],
    other: [
      'Traceback (most recent call last):\n  File "/home/user/project/trainer.py", line 88, in compute_loss\n    kept = outputs.hidden.softmax(-1)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.00 GiB is free. Including non-PyTorch memory, this process has 51.40 GiB memory in use. Process 41 has 26.60 GiB memory in use. Of the allocated memory 50.00 GiB is allocated by PyTorch, and 900.00 MiB is reserved by PyTorch but unallocated.',
    ],
    among: [
      'Traceback (most recent call last):\n  File "/home/user/project/trainer.py", line 88, in compute_loss\n    kept = outputs.hidden.softmax(-1)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.00 GiB is free. Including non-PyTorch memory, this process has 51.40 GiB memory in use. Process 41 has 26.60 GiB memory in use. Of the allocated memory 50.00 GiB is allocated by PyTorch, and 900.00 MiB is reserved by PyTorch but unallocated.',
    ],
  },
  rules: [
    {
      when: (context) => ownFault(context) && has(context, 'userLossFrame'),
      confidence: (context) => (has(context, 'lossFrame') ? 0.5 : 0.6),
      evidence: (context) => [message('doctorEvidence.userLossFrame'), ...requestOfCard(context)],
    },
  ],
  fixes: (context) => [
    step('doctorFixes.oneSetOfLogits', 'outputs = model(**inputs); loss = criterion(outputs.logits, labels)'),
    step('doctorFixes.chunkedLoss', 'F.cross_entropy(logits_chunk, labels_chunk, reduction="sum")'),
    microBatch(context),
  ],
  useless: [],
} as const satisfies CauseDefinition;
