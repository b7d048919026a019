import { message } from '../../i18n/message';
import { mapLocation, setDevice } from '../advice/steps';
import { has, isStory, matchesFormat } from '../judging/context';
import { sharedCard } from '../judging/driver';
import { outside } from '../judging/evidence';
import { ranksThatNameCard0 } from '../judging/holders';
import { hasCardNumbers, othersHoldMuch, ownShare } from '../judging/numbers';
import { isOneOfManyRanks } from '../judging/phases';
import { isSeen, seenDetail } from '../judging/seen';
import { isBareRow, strayEvidence, strays } from '../judging/strays';
import type { CauseDefinition } from './definition';

export const allRanksOnGpu0 = {
  name: 'all_ranks_on_gpu0',
  kind: 'oom',
  examples: {
    first: [
      'Traceback (most recent call last):\n  File "/env/lib/python3.11/site-packages/torch/serialization.py", line 99, in _cuda_deserialize\n    return storage_type(obj.size())\nRuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 11.17 GiB total capacity; 962.69 MiB already allocated; 17.19 MiB free; 1002.00 MiB reserved in total by PyTorch)',
    ],
    other: ['(GPU 0; 16.00 GiB total capacity; 1.00 GiB already allocated; 17.19 MiB f'],
  },
  rules: [
    {
      when: (context) => matchesFormat(context, 'nccl-duplicate-gpu'),
      confidence: 0.6,
      evidence: sharedCard,
    },
    {
      when: (context) => othersHoldMuch(context) && context.failure.facts.gpuIndex === 0,
      confidence: (context) => {
        if (has(context, 'deserializeOnCardFrame')) return 0.88;
        if (ranksThatNameCard0(context) > 1) return 0.85;
        if (has(context, 'torchLoadFrame')) return 0.6;
        return ownShare(context) < 0.2 ? 0.3 : 0.15;
      },
      evidence: (context) => [
        ...(has(context, 'deserializeOnCardFrame', 'torchLoadFrame')
          ? [message('doctorEvidence.loadsOntoCard0')]
          : []),
        ...(ranksThatNameCard0(context) > 1
          ? [message('doctorEvidence.ranksOnCard0', { ranks: ranksThatNameCard0(context) })]
          : []),
        ...outside(context),
      ],
    },
    {
      when: (context) =>
        isStory(context, 'gpu-oom') &&
        !hasCardNumbers(context) &&
        has(context, 'deserializeOnCardFrame') &&
        isOneOfManyRanks(context),
      confidence: 0.7,
      evidence: (context) => [message('doctorEvidence.loadsOntoCard0'), ...outside(context)],
    },
    {
      when: (context) =>
        isSeen(context) &&
        othersHoldMuch(context) &&
        context.failure.facts.gpuIndex === 0 &&
        context.failure.rank !== null &&
        context.failure.rank !== 0 &&
        seenDetail(context, 'siblingsOnCard') > 0,
      confidence: 0.9,
      evidence: outside,
    },
    {
      when: (context) => strays(context).length > 0,
      confidence: (context) => (strays(context).every(isBareRow) ? 0.6 : 0.86),
      evidence: strayEvidence,
    },
  ],
  fixes: (context) => [setDevice(context), mapLocation(context)],
  useless: [],
} as const satisfies CauseDefinition;
