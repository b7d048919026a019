import { message } from '../../i18n/message';
import { MiB } from '../../units';
import { step } from '../advice/steps';
import { madeBy, numberDetail } from '../judging/context';
import type { CauseDefinition } from './definition';

export const capacityMisreported = {
  name: 'capacity_misreported',
  kind: 'oom',
  examples: {
    first: [
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 16.00 GiB. GPU 0 has a total capacity of 15.24 GiB of which 15.09 GiB is free. Of the allocated memory 0 bytes is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.\n[    4.97] amdgpu 0000:c5:00.0: amdgpu: VRAM: 98304M 0x0000008000000000 (98304M used)',
    ],
    other: ['out of memory'],
  },
  rules: [
    {
      when: (context) =>
        (numberDetail(context.failure, 'vramBytes') ?? 0) >
        1.5 * (context.failure.quantities.capacity ?? Infinity),
      confidence: 0.93,
      evidence: (context) => [
        message('doctorEvidence.capacityDiffers', {
          capacity: context.failure.quantities.capacity,
          installed: numberDetail(context.failure, 'vramBytes'),
        }),
      ],
    },
    {
      when: (context) => {
        const { free, capacity } = context.failure.quantities;
        return free !== null && capacity !== null && free > capacity + 64 * MiB;
      },
      confidence: 0.7,
      evidence: (context) => {
        const { free, capacity } = context.failure.quantities;
        return [message('doctorEvidence.freeOverCapacity', { free, capacity })];
      },
    },
  ],
  fixes: (context) => [
    step('doctorFixes.checkCarveOut', madeBy(context, 'amd') ? 'rocminfo | grep -A3 "Pool"' : null),
  ],
  useless: [message('doctorAdvice.smallerBatchRefused')],
} as const satisfies CauseDefinition;
