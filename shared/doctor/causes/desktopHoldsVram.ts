import { message } from '../../i18n/message';
import { GiB, MiB } from '../../units';
import { findHolder, lowerDeviceShare, microBatch, plan, step } from '../advice/steps';
import { has, matchesFormat } from '../judging/context';
import { outside } from '../judging/evidence';
import { desktopSizedShare, isLargeShare, isShortByLittle, startupEvidence } from '../judging/holders';
import { cardIsFullOfOwn, freeIsEnough, isWorkstationCard } from '../judging/numbers';
import type { CauseDefinition } from './definition';

export const desktopHoldsVram = {
  name: 'desktop_holds_vram',
  kind: 'oom',
  examples: {
    first: [
      '|    0   N/A  N/A      1900      G   /usr/lib/xorg/Xorg             2210MiB |\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 11.76 GiB of which 100.00 MiB is free. Of the allocated memory 8.30 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: [
      'torch.OutOfMemoryError: HIP out of memory. Tried to allocate 124.00 MiB. GPU 0 has a total capacity of 19.94 GiB of which 554.47 MiB is free. Of the allocated memory 15.87 GiB is allocated by PyTorch, and 165.29 MiB is reserved by PyTorch but unallocated.',
    ],
  },
  rules: [
    {
      when: (context) => {
        const { capacity, free } = context.failure.quantities;
        if (!matchesFormat(context, 'vllm-startup') || capacity === null || free === null) return false;
        const held = capacity - free;
        return isWorkstationCard(context) && !isShortByLittle(context) && held > 0.25 * GiB && held < 2 * GiB;
      },
      confidence: 0.82,
      evidence: startupEvidence,
    },
    {
      when: (context) =>
        isWorkstationCard(context) &&
        !cardIsFullOfOwn(context) &&
        !freeIsEnough(context) &&
        desktopSizedShare(context),
      confidence: (context) => (has(context, 'desktopWords') ? 0.8 : isLargeShare(context) ? 0.5 : 0.3),
      evidence: outside,
    },
    {
      when: (context) => {
        // cudaMallocAsync prints no reserve: allocated and request together are below the limit, and nothing is free.
        const { tried, capacity, free, allocated } = context.failure.quantities;
        if (
          !matchesFormat(context, 'cudaMallocAsync') ||
          tried === null ||
          capacity === null ||
          allocated === null
        )
          return false;
        const left = capacity - allocated - tried;
        return (
          isWorkstationCard(context) && free !== null && free < tried && left > 512 * MiB && left < 3.5 * GiB
        );
      },
      confidence: 0.5,
      evidence: outside,
    },
  ],
  fixes: (context) => [
    matchesFormat(context, 'vllm-startup') ? lowerDeviceShare(context) : null,
    step('doctorFixes.closeDesktop'),
    findHolder(context),
    ...(matchesFormat(context, 'vllm-startup') ? [] : [microBatch(context), plan(context)]),
  ],
  useless: [
    message('doctorAdvice.smallerBatchForeign'),
    message('doctorAdvice.killByName'),
    message('doctorAdvice.fuserKill'),
  ],
} as const satisfies CauseDefinition;
