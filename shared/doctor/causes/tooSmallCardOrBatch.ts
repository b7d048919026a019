import { message } from '../../i18n/message';
import {
  moreRoomForCache,
  moreRoomForRequests,
  needLess,
  plan,
  shardModel,
  shardedCheckpoint,
  smallerModel,
  step,
} from '../advice/steps';
import { has, matchesFormat, numberDetail } from '../judging/context';
import { ownTensors } from '../judging/evidence';
import { fullConfidence, fullEvidence, mayBeFull, stepWasRunning } from '../judging/fullCard';
import { othersHoldMuch, requestIsAbsurd } from '../judging/numbers';
import { isBeforeAnyBatch, isOneOfManyRanks, isWhileSaving, ownFault } from '../judging/phases';
import { isProven, isSeen, leakSeconds, seenDetail, seenOwnShare } from '../judging/seen';
import type { CauseDefinition } from './definition';

export const tooSmallCardOrBatch = {
  name: 'too_small_card_or_batch',
  kind: 'oom',
  examples: {
    first: [
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 40.00 MiB is free. Of the allocated memory 22.60 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: ['RuntimeError: HIP error: out of memory'],
  },
  rules: [
    {
      when: (context) => matchesFormat(context, 'vllm-no-cache-blocks', 'sglang-memory-pool', 'XLA-compile'),
      confidence: 0.82,
      evidence: (context) =>
        [
          message('doctorEvidence.weightsAndCache', {
            needed: numberDetail(context.failure, 'neededBytes'),
            room: numberDetail(context.failure, 'cacheBytes') ?? context.failure.facts.capacityBytes,
          }),
        ].filter(({ values }) => values['needed'] !== null && values['room'] !== null),
    },
    {
      when: (context) => matchesFormat(context, 'quantised-model-does-not-fit', 'offload-folder-missing'),
      confidence: 0.85,
      evidence: () => [message('doctorEvidence.refusedToSpill')],
    },
    {
      when: (context) => matchesFormat(context, 'sglang-pool-used-up'),
      confidence: 0.7,
      evidence: () => [message('doctorEvidence.poolUsedUp')],
    },
    {
      when: (context) => matchesFormat(context, 'no-executable-batch-size'),
      confidence: 0.7,
      evidence: () => [message('doctorEvidence.triedEveryBatch')],
    },
    {
      when: (context) => ownFault(context) && has(context, 'wrapFrame'),
      confidence: 0.78,
      evidence: (context) => [message('doctorEvidence.whileWrapping'), ...ownTensors(context)],
    },
    {
      when: (context) => ownFault(context) && has(context, 'loadFrame', 'paramArgWords', 'moveModelFrame'),
      confidence: (context) => (isOneOfManyRanks(context) ? 0.5 : 0.8),
      evidence: (context) => [message('doctorEvidence.whileLoading'), ...ownTensors(context)],
    },
    {
      when: (context) => isSeen(context) && !othersHoldMuch(context) && !isProven(context),
      confidence: (context) => (seenDetail(context, 'risingForSeconds') >= leakSeconds ? 0.4 : 0.62),
      evidence: seenOwnShare,
    },
    {
      when: (context) => mayBeFull(context) && !stepWasRunning(context),
      confidence: fullConfidence,
      evidence: fullEvidence,
    },
  ],
  fixes: (context) => {
    if (requestIsAbsurd(context)) return [step('doctorFixes.startClean'), step('doctorFixes.smallerTensor')];
    if (matchesFormat(context, 'vllm-no-cache-blocks', 'sglang-memory-pool'))
      return moreRoomForCache(context);
    if (matchesFormat(context, 'sglang-pool-used-up')) return moreRoomForRequests(context);
    if (isWhileSaving(context)) return [shardedCheckpoint(context), plan(context)];
    if (
      isBeforeAnyBatch(context) ||
      has(context, 'loadWords') ||
      matchesFormat(context, 'quantised-model-does-not-fit', 'offload-folder-missing')
    )
      return [
        has(context, 'wrapFrame', 'ddpReducerFrame') ? shardModel(context) : null,
        ...smallerModel(context),
      ];
    return needLess(context);
  },
  useless: [],
} as const satisfies CauseDefinition;
