import { message } from '../../i18n/message';
import { mapLocation, onTorch, step } from '../advice/steps';
import { has } from '../judging/context';
import { ownTensors } from '../judging/evidence';
import { isResuming, ownFault } from '../judging/phases';
import type { CauseDefinition } from './definition';

export const resumeDoubleState = {
  name: 'resume_double_state',
  kind: 'oom',
  examples: {
    first: [
      'Resuming training from out/checkpoint-500\nTraceback (most recent call last):\n  File "/env/lib/python3.11/site-packages/torch/optim/optimizer.py", line 734, in load_state_dict\n    state_dict = deepcopy(state_dict)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 40.00 MiB is free. Of the allocated memory 22.60 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: ['out of memory'],
  },
  rules: [
    {
      when: (context) => ownFault(context) && isResuming(context),
      confidence: (context) =>
        has(context, 'loadStateDictFrame')
          ? has(context, 'resumeWords', 'resumeFrame')
            ? 0.84
            : 0.7
          : has(context, 'torchLoadFrame')
            ? 0.66
            : 0.45,
      evidence: (context) => [message('doctorEvidence.resume'), ...ownTensors(context)],
    },
  ],
  fixes: (context) => [
    mapLocation(context),
    step(
      'doctorFixes.loadThenFree',
      onTorch(context, 'optimizer.load_state_dict(state["optimizer"]); del state'),
    ),
  ],
  useless: [message('doctorAdvice.smallerBatchNotReached')],
} as const satisfies CauseDefinition;
