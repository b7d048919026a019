import { message } from '../../i18n/message';
import { fewerWorkers, hostMemory, pageFile } from '../advice/steps';
import { requestAndFree } from '../judging/evidence';
import { freeIsEnough } from '../judging/numbers';
import type { CauseDefinition } from './definition';

export const hostRamMasked = {
  name: 'host_ram_masked',
  kind: 'host-oom',
  examples: {
    first: [],
    other: [
      'RuntimeError: CUDA out of memory. Tried to allocate 50.00 MiB (GPU 0; 6.00 GiB total capacity; 693.78 MiB already allocated; 3.91 GiB free; 18.22 MiB cached)',
    ],
    among: [
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 31.73 GiB of which 12.35 GiB is free. Of the allocated memory 10.00 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
  },
  rules: [
    {
      when: (context) => freeIsEnough(context) && context.failure.fresh,
      confidence: 0.5,
      evidence: (context) => requestAndFree(context),
    },
  ],
  fixes: (context) => [hostMemory(context), pageFile(context), fewerWorkers(context)],
  useless: [message('doctorAdvice.smallerBatchRefused'), message('doctorAdvice.offloadToRam')],
} as const satisfies CauseDefinition;
