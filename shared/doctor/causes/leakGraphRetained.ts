import { message } from '../../i18n/message';
import { onTorch, reducePredictions, step } from '../advice/steps';
import { has, isStory } from '../judging/context';
import { progressAt } from '../judging/evidence';
import { cardIsFullOfOwn, othersHoldMuch } from '../judging/numbers';
import { growthEvidence, inEvaluation, isLateStep, ownFault } from '../judging/phases';
import { isSeen, leakSeconds, seenDetail, seenRise } from '../judging/seen';
import type { CauseDefinition } from './definition';

export const leakGraphRetained = {
  name: 'leak_graph_retained',
  kind: 'leak',
  examples: {
    first: [
      'step 0 loss 2.0 memory 10.2 GiB\nstep 100 loss 2.1 memory 11 GiB\nstep 200 loss 2.2 memory 11.9 GiB\nstep 300 loss 2.3 memory 12.8 GiB\nstep 400 loss 2.4 memory 13.9 GiB\nstep 500 loss 2.5 memory 14.8 GiB\nstep 600 loss 2.6 memory 15.7 GiB\nRuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 15.90 GiB total capacity; 15.10 GiB already allocated; 10.00 MiB free; 15.20 GiB reserved in total by PyTorch)',
    ],
    other: [
      'RuntimeError: CUDA out of memory. Tried to allocate 2.00 MiB (GPU 0; 15.90 GiB total capacity; 14.37 GiB already allocated; 1.88 MiB free; 15.03 GiB reserved in total by PyTorch)\n     0/299     15.8G      3.99     0.358         0      4.35        22       608:  63% 34/54 [00:42<00:25,  1.26s/it]',
    ],
  },
  rules: [
    {
      when: (context) => isStory(context, 'gpu-oom') && has(context, 'leakWords'),
      confidence: 0.7,
      evidence: (context) => [message('doctorEvidence.growth'), ...progressAt(context)],
    },
    {
      when: (context) => ownFault(context) && context.failure.growth !== null && !inEvaluation(context),
      confidence: 0.78,
      evidence: growthEvidence,
    },
    {
      // One snapshot cannot tell a leak from a batch that is too large (causes.md, rivals).
      when: (context) =>
        ownFault(context) && isLateStep(context) && cardIsFullOfOwn(context) && !has(context, 'leakWords'),
      confidence: 0.25,
      evidence: (context) => [message('doctorEvidence.oneSnapshot'), ...progressAt(context)],
    },
    {
      when: (context) =>
        isSeen(context) && !othersHoldMuch(context) && seenDetail(context, 'risingForSeconds') >= leakSeconds,
      confidence: 0.75,
      evidence: seenRise,
    },
  ],
  fixes: (context) => [
    step('doctorFixes.detachLoss', onTorch(context, 'total += loss.item()')),
    reducePredictions(context),
  ],
  useless: [],
} as const satisfies CauseDefinition;
