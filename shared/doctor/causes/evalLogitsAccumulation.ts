import { message } from '../../i18n/message';
import { noGrad, reducePredictions } from '../advice/steps';
import { has } from '../judging/context';
import { progressAt } from '../judging/evidence';
import { growthEvidence, inEvaluation, ownFault } from '../judging/phases';
import type { CauseDefinition } from './definition';

export const evalLogitsAccumulation = {
  name: 'eval_logits_accumulation',
  kind: 'oom',
  examples: {
    first: [
      'Traceback (most recent call last):\n  File "/env/transformers/trainer.py", line 2515, in evaluation_loop\n    preds_host = nested_concat(preds_host, logits, padding_index=-100)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 40.00 MiB is free. Of the allocated memory 22.60 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: [
      '100%|#| 32/32 [00:41<00:00, 2.39s/it]\nEpoch (valid):   3% 1/32 [00:01<00:46,  1.50s/it]\nRuntimeError: CUDA error: out of memory',
    ],
  },
  rules: [
    {
      when: (context) => ownFault(context) && (inEvaluation(context) || has(context, 'concatenateFrame')),
      confidence: (context) => {
        if (has(context, 'concatenateFrame')) return 0.87;
        if (context.failure.growth !== null) return 0.8;
        const step = context.failure.progress?.phase === 'evaluation' ? context.failure.progress.done : null;
        return step !== null && step > 20 ? 0.55 : 0.3;
      },
      evidence: (context) => [
        message(
          has(context, 'concatenateFrame') ? 'doctorEvidence.concatenateFrame' : 'doctorEvidence.evaluation',
        ),
        ...progressAt(context),
        ...growthEvidence(context),
      ],
    },
  ],
  fixes: (context) => [reducePredictions(context), noGrad(context)],
  useless: [message('doctorAdvice.accumulationSteps')],
} as const satisfies CauseDefinition;
