import { message } from '../../i18n/message';
import { needLess, step } from '../advice/steps';
import { hasSpilled } from '../judging/numbers';
import type { CauseDefinition } from './definition';

export const wddmSysmemFallback = {
  name: 'wddm_sysmem_fallback',
  kind: 'oom',
  examples: {
    first: [
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1002.00 MiB. GPU 0 has a total capacity of 8.00 GiB of which 0 bytes is free. Of the allocated memory 13.98 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: [
      'OutOfMemoryError: CUDA out of memory. Tried to allocate 10.73 GiB (GPU 0; 8.00 GiB total capacity; 17.20 GiB already allocated; 0 bytes free; 19.15 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.',
    ],
  },
  rules: [
    {
      when: hasSpilled,
      confidence: 0.85,
      evidence: (context) => {
        const { allocated, capacity } = context.failure.quantities;
        return [message('doctorEvidence.spilled', { allocated, capacity })];
      },
    },
  ],
  fixes: (context) => [...needLess(context), step('doctorFixes.noSysmemFallback')],
  useless: [message('doctorAdvice.sharedGpuMemory')],
} as const satisfies CauseDefinition;
