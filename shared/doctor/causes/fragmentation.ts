import { message } from '../../i18n/message';
import { MiB } from '../../units';
import { allocatorSegments, plan, step } from '../advice/steps';
import { has, numberDetail } from '../judging/context';
import { requestAndFree, selfInList } from '../judging/evidence';
import {
  cardIsFullOfOwn,
  isFragmented,
  isPartlyFragmented,
  othersHoldMuch,
  requestIsHuge,
  unallocatedIsEnough,
} from '../judging/numbers';
import type { CauseDefinition } from './definition';

export const fragmentation = {
  name: 'fragmentation',
  kind: 'oom',
  examples: {
    first: [
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.00 GiB. GPU 0 has a total capacity of 39.39 GiB of which 2.10 GiB is free. Of the allocated memory 24.00 GiB is allocated by PyTorch, and 12.20 GiB is reserved by PyTorch but unallocated.',
    ],
    other: [
      'RuntimeError: CUDA out of memory. Tried to allocate 512.00 KiB (GPU 0; 15.90 GiB total capacity; 14.37 GiB already allocated; 1.88 MiB free; 15.03 GiB reserved in total by PyTorch)',
    ],
  },
  rules: [
    {
      // XLA keeps no unused reserve: free and reservable are what the card has, in pieces.
      when: (context) => {
        const largest = numberDetail(context.failure, 'largestBytes');
        const { tried, free } = context.failure.quantities;
        return largest !== null && tried !== null && free !== null && free >= tried && largest < tried;
      },
      confidence: 0.86,
      evidence: (context) => [
        message('doctorEvidence.freeInPieces', {
          free: context.failure.quantities.free,
          largest: numberDetail(context.failure, 'largestBytes'),
          tried: context.failure.quantities.tried,
        }),
      ],
    },
    {
      when: isFragmented,
      // On a card that is nearly full of tensors the unused rest is small, and a segment of 2 MiB belongs to the pool of
      // small blocks, which cannot use what is unused in the other pool (c10/cuda/CUDACachingAllocator.cpp, kSmallBuffer).
      confidence: (context) =>
        (context.failure.quantities.tried ?? 0) <= 2 * MiB
          ? 0.35
          : cardIsFullOfOwn(context) && !unallocatedIsEnough(context)
            ? 0.55
            : 0.84,
      evidence: (context) => {
        const { unallocated, tried, free } = context.failure.quantities;
        return [
          unallocatedIsEnough(context)
            ? message('doctorEvidence.unallocatedEnough', { unallocated, tried })
            : message('doctorEvidence.unallocatedWithFree', { unallocated, free, tried }),
          ...requestAndFree(context),
          ...selfInList(context),
        ];
      },
    },
    {
      when: (context) => isPartlyFragmented(context) && !requestIsHuge(context) && !othersHoldMuch(context),
      confidence: 0.3,
      evidence: (context) => {
        const { unallocated, tried } = context.failure.quantities;
        return [message('doctorEvidence.unallocatedPart', { unallocated, tried })];
      },
    },
    {
      when: (context) => context.failure.format === 'memory-snapshot',
      confidence: 0.7,
      evidence: () => [message('doctorEvidence.snapshotWithHoles')],
    },
  ],
  fixes: (context) => [
    allocatorSegments(context),
    step('doctorFixes.largestFirst'),
    context.failure.details['repeated'] === undefined && !has(context, 'workerWords')
      ? null
      : step('doctorFixes.dropOldTensors', 'del outputs; gc.collect()'),
    plan(context),
  ],
  useless: [],
} as const satisfies CauseDefinition;
