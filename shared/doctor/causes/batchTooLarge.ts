import { message } from '../../i18n/message';
import { needLess, onTorch, smallerModel, step } from '../advice/steps';
import { has, matchesFormat } from '../judging/context';
import { ownTensors, requestAndFree } from '../judging/evidence';
import { fullConfidence, fullEvidence, mayBeFull, stepWasRunning } from '../judging/fullCard';
import { othersHoldMuch, requestIsAbsurd } from '../judging/numbers';
import { ownFault } from '../judging/phases';
import { isProven, isSeen, leakSeconds, seenDetail, seenOwnShare } from '../judging/seen';
import type { CauseDefinition } from './definition';

export const batchTooLarge = {
  name: 'batch_too_large',
  kind: 'oom',
  examples: {
    first: [
      '  1%|1         | 3/352 [00:12<25:10, 4.19s/it]\nTraceback (most recent call last):\n  File "train.py", line 8, in main\n    loss.backward()\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 40.00 MiB is free. Of the allocated memory 22.60 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: [
      '    except RuntimeError as e:\n        if "out of memory" in str(e):\n            print("| WARNING: ran out of memory, retrying batch")\n        else:\n            raise',
    ],
  },
  rules: [
    {
      when: (context) => ownFault(context) && has(context, 'clipFrame'),
      confidence: 0.78,
      evidence: (context) => [
        message('doctorEvidence.clipFrame'),
        ...ownTensors(context),
        ...requestAndFree(context),
      ],
    },
    {
      when: (context) => matchesFormat(context, 'no-executable-batch-size'),
      confidence: 0.72,
      evidence: () => [message('doctorEvidence.triedEveryBatch')],
    },
    {
      when: (context) => matchesFormat(context, 'd2-retry'),
      confidence: 0.6,
      evidence: () => [message('doctorEvidence.retried')],
    },
    {
      when: (context) => isSeen(context) && !othersHoldMuch(context) && isProven(context),
      confidence: (context) => (seenDetail(context, 'risingForSeconds') >= leakSeconds ? 0.35 : 0.5),
      evidence: seenOwnShare,
    },
    {
      when: (context) => mayBeFull(context) && stepWasRunning(context),
      confidence: fullConfidence,
      evidence: fullEvidence,
    },
  ],
  fixes: (context) => [
    has(context, 'clipFrame')
      ? step(
          'doctorFixes.normWithoutForeach',
          onTorch(context, 'torch.nn.utils.clip_grad_norm_(…, foreach=False)'),
        )
      : null,
    ...(requestIsAbsurd(context)
      ? [step('doctorFixes.startClean')]
      : matchesFormat(context, 'no-executable-batch-size')
        ? smallerModel(context)
        : needLess(context)),
  ],
  useless: [],
} as const satisfies CauseDefinition;
