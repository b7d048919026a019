import { message } from '../../i18n/message';
import { mapLocation, setDevice } from '../advice/steps';
import { outside } from '../judging/evidence';
import { bareContexts } from '../judging/holders';
import { isBareRow, strayEvidence, strays } from '../judging/strays';
import type { CauseDefinition } from './definition';

export const strayContextGpu0 = {
  name: 'stray_context_gpu0',
  kind: 'oom',
  examples: {
    first: [
      '|    0   N/A  N/A      4101      C   python                        22010MiB |\n|    0   N/A  N/A      4102      C   python                          518MiB |\n|    1   N/A  N/A      4102      C   python                        22010MiB |',
    ],
    other: [
      'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 136.00 MiB. GPU 0 has a total capacty of 23.65 GiB of which 93.81 MiB is free. Process 62201 has 398.00 MiB memory in use. Process 62203 has 398.00 MiB memory in use. Process 62204 has 398.00 MiB memory in use. Process 62200 has 21.98 GiB memory in use. Process 62202 has 398.00 MiB memory in use. Of the allocated memory 21.51 GiB is allocated by PyTorch, and 2.30 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF\nTraceback (most recent call last):\n  File "src/train_bash.py", line 14, in <module>\n    main()',
    ],
  },
  rules: [
    {
      when: (context) => context.failure.facts.gpuIndex === 0 && bareContexts(context) >= 2,
      confidence: 0.5,
      evidence: (context) => [
        message('doctorEvidence.bareContexts', { count: bareContexts(context) }),
        ...outside(context),
      ],
    },
    {
      when: (context) => strays(context).length > 0,
      confidence: (context) => (strays(context).every(isBareRow) ? 0.85 : 0.4),
      evidence: strayEvidence,
    },
  ],
  fixes: (context) => [setDevice(context), mapLocation(context)],
  useless: [],
} as const satisfies CauseDefinition;
