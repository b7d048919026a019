import { message } from '../../i18n/message';
import { microBatch, step } from '../advice/steps';
import { numberDetail } from '../judging/context';
import type { CauseDefinition } from './definition';

export const mpsOtherAllocations = {
  name: 'mps_other_allocations',
  kind: 'oom',
  examples: {
    first: [
      'MPS backend out of memory (MPS allocated: 4.57 GiB, other allocations: 12.35 GiB, max allowed: 18.13 GiB). Tried to allocate 292.50 MiB on private pool.',
    ],
    other: ['out of memory'],
  },
  rules: [
    {
      when: (context) =>
        (numberDetail(context.failure, 'otherAllocationsBytes') ?? 0) >
        (context.failure.facts.allocatedBytes ?? Infinity),
      confidence: 0.85,
      evidence: (context) => [
        message('doctorEvidence.mpsOthers', {
          others: numberDetail(context.failure, 'otherAllocationsBytes'),
          allocated: context.failure.facts.allocatedBytes,
          allowed: context.failure.facts.allowedBytes,
        }),
      ],
    },
  ],
  fixes: (context) => [step('doctorFixes.freeUnifiedMemory'), microBatch(context)],
  useless: [],
} as const satisfies CauseDefinition;
