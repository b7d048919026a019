import { message } from '../../i18n/message';
import { GiB } from '../../units';
import { step } from '../advice/steps';
import { isTorchAllocator, isTorchBefore, madeBy, matchesFormat } from '../judging/context';
import { ownTensors, requestOfCard } from '../judging/evidence';
import { freeIsEnough } from '../judging/numbers';
import type { CauseDefinition } from './definition';

export const perAllocationLimit = {
  name: 'per_allocation_limit',
  kind: 'oom',
  examples: {
    first: [
      'torch.OutOfMemoryError: XPU out of memory. Tried to allocate 4.50 GiB. GPU 0 has a total capacity of 15.11 GiB. Of the allocated memory 0 bytes is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.',
    ],
    other: ['RuntimeError: Invalid buffer size: 104.25 GB'],
  },
  rules: [
    {
      when: (context) => {
        const { tried, capacity, allocated, free } = context.failure.quantities;
        if (tried === null || capacity === null || allocated === null) return false;
        const mayHaveLimit =
          madeBy(context, 'intel') ||
          (isTorchAllocator(context) &&
            (madeBy(context, 'amd') || isTorchBefore(context, '1.13')) &&
            freeIsEnough(context));
        return (
          mayHaveLimit &&
          allocated < 0.15 * capacity &&
          tried >= GiB &&
          tried < 0.75 * capacity &&
          (free ?? tried) >= tried
        );
      },
      confidence: (context) => (madeBy(context, 'intel') ? 0.85 : 0.45),
      evidence: (context) => [...ownTensors(context), ...requestOfCard(context)],
    },
    {
      when: (context) => matchesFormat(context, 'XPU-block-limit'),
      confidence: 0.95,
      evidence: requestOfCard,
    },
    {
      when: (context) => matchesFormat(context, 'MPS-buffer'),
      confidence: 0.6,
      evidence: (context) => [
        message('doctorEvidence.oneBuffer', { tried: context.failure.facts.triedBytes }),
      ],
    },
  ],
  fixes: (context) => [
    madeBy(context, 'intel')
      ? step('doctorFixes.relaxAllocationLimit', 'UR_L0_ENABLE_RELAXED_ALLOCATION_LIMITS=1')
      : null,
    step('doctorFixes.splitBuffer'),
  ],
  useless: [message('doctorAdvice.smallerBatchRefused')],
} as const satisfies CauseDefinition;
