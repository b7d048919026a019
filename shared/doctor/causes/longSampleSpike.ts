import { message } from '../../i18n/message';
import { allocatorSegments, inWordsOf, step } from '../advice/steps';
import { has, matchesFormat } from '../judging/context';
import { progressAt } from '../judging/evidence';
import { othersHoldMuch } from '../judging/numbers';
import { inEvaluation, isLateStep, ownFault } from '../judging/phases';
import { isProven, isSeen, seenDetail, seenOwnShare } from '../judging/seen';
import type { CauseDefinition } from './definition';

export const longSampleSpike = {
  name: 'long_sample_spike',
  kind: 'oom',
  examples: {
    first: [
      '2022-07-03 12:41:17 - INFO: epoch 001:  11125 / 140589 loss=5.185\nRuntimeError: CUDA out of memory. Tried to allocate 2.16 GiB (GPU 3; 39.59 GiB total capacity; 36.44 GiB already allocated; 1.19 GiB free; 37.90 GiB reserved in total by PyTorch)\nWARNING: attempting to recover from OOM in forward/backward pass',
    ],
    other: [
      'RuntimeError: CUDA out of memory. Tried to allocate 2.00 MiB (GPU 0; 15.90 GiB total capacity; 14.37 GiB already allocated; 1.88 MiB free; 15.03 GiB reserved in total by PyTorch)\n     0/299     15.8G      3.99     0.358         0      4.35        22       608:  63% 34/54 [00:42<00:25,  1.26s/it]',
    ],
  },
  rules: [
    {
      when: (context) =>
        ownFault(context) && has(context, 'retryWords') && !matchesFormat(context, 'd2-retry'),
      confidence: 0.78,
      evidence: (context) => [message('doctorEvidence.retried'), ...progressAt(context)],
    },
    {
      when: (context) =>
        ownFault(context) && !has(context, 'retryWords') && isLateStep(context) && !inEvaluation(context),
      confidence: (context) => ((context.failure.progress?.done ?? 0) >= 200 ? 0.6 : 0.4),
      evidence: progressAt,
    },
    {
      when: (context) =>
        isSeen(context) &&
        !othersHoldMuch(context) &&
        isProven(context) &&
        seenDetail(context, 'risingForSeconds') === 0,
      confidence: 0.45,
      evidence: seenOwnShare,
    },
  ],
  fixes: (context) => [
    inWordsOf(context, 'doctorFixes.limitLength', 'shorterInput'),
    inWordsOf(context, 'doctorFixes.groupByLength', 'groupByLength'),
    step('doctorFixes.batchByTokens'),
    allocatorSegments(context),
  ],
  useless: [],
} as const satisfies CauseDefinition;
