import { message } from '../../i18n/message';
import { onTorch, plan, shardOptimizer, step } from '../advice/steps';
import { has } from '../judging/context';
import { progressAt } from '../judging/evidence';
import { inOptimizerStep, mayBeOwnFault, ofCut, stepNumber } from '../judging/phases';
import type { CauseDefinition } from './definition';

export const optimizerStepPeak = {
  name: 'optimizer_step_peak',
  kind: 'oom',
  examples: {
    first: [
      ' 30%|###       | 34/112 [00:40<?, ?it/s]\nTraceback (most recent call last):\n  File "train.py", line 40, in main\n    optimizer.step()\n  File "/env/lib/python3.11/site-packages/torch/optim/adamw.py", line 606, in _multi_tensor_adamw\n    exp_avg_sq_sqrt = torch._foreach_sqrt(device_exp_avg_sqs)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 40.00 MiB is free. Of the allocated memory 22.60 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: ['  File "torch/optim/adamw.py", line 148, in _init_group'],
  },
  rules: [
    {
      when: (context) => mayBeOwnFault(context) && inOptimizerStep(context),
      confidence: (context) => {
        const step = stepNumber(context);
        if (step === null) return ofCut(context, has(context, 'foreachFrame') ? 0.78 : 0.6);
        return ofCut(context, step > 1 ? 0.8 : 0.3);
      },
      evidence: (context) => [message('doctorEvidence.optimizerFrame'), ...progressAt(context)],
    },
  ],
  fixes: (context) => [
    step('doctorFixes.noForeach', onTorch(context, 'torch.optim.AdamW(…, foreach=False)')),
    shardOptimizer(context),
    plan(context),
  ],
  useless: [],
} as const satisfies CauseDefinition;
