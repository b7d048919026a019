import { message } from '../../i18n/message';
import { evaluationBatch, noGrad, step } from '../advice/steps';
import { has } from '../judging/context';
import { progressAt } from '../judging/evidence';
import { inEvaluation, ownFault } from '../judging/phases';
import type { CauseDefinition } from './definition';

export const evalPeak = {
  name: 'eval_peak',
  kind: 'oom',
  examples: {
    first: [],
    other: [
      '100%|#| 32/32 [00:41<00:00, 2.39s/it]\nEpoch (valid):   3% 1/32 [00:01<00:46,  1.50s/it]\nRuntimeError: CUDA error: out of memory',
    ],
    among: [
      '***** Running Evaluation *****\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 40.00 MiB is free. Of the allocated memory 22.60 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
  },
  rules: [
    {
      when: (context) => ownFault(context) && inEvaluation(context),
      confidence: (context) => (has(context, 'concatenateFrame') ? 0.25 : 0.68),
      evidence: (context) => [message('doctorEvidence.evaluation'), ...progressAt(context)],
    },
  ],
  fixes: (context) => [evaluationBatch(context), step('doctorFixes.cropEvaluation'), noGrad(context)],
  useless: [message('doctorAdvice.accumulationSteps')],
} as const satisfies CauseDefinition;
