import { message } from '../../i18n/message';
import { freeTheCard } from '../advice/steps';
import { has, matchesFormat, numberDetail } from '../judging/context';
import { outside } from '../judging/evidence';
import { isShortByLittle, processEvidence, startupEvidence } from '../judging/holders';
import { othersHoldMuch } from '../judging/numbers';
import type { CauseDefinition } from './definition';

export const leftoverProcess = {
  name: 'leftover_process',
  kind: 'zombie',
  examples: {
    first: [],
    other: ['(GPU 0; 16.00 GiB total capacity; 1.00 GiB already allocated; 17.19 MiB f'],
    among: [
      'The previous run was killed, its workers are orphans.\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 23.65 GiB of which 300.00 MiB is free. Process 851 has 21.80 GiB memory in use. Including non-PyTorch memory, this process has 1.50 GiB memory in use. Of the allocated memory 1.00 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
  },
  rules: [
    {
      when: othersHoldMuch,
      confidence: (context) => (has(context, 'orphanWords') ? 0.7 : 0.35),
      evidence: outside,
    },
    {
      when: (context) => matchesFormat(context, 'vllm-startup') && !isShortByLittle(context),
      confidence: (context) => (has(context, 'orphanWords') ? 0.75 : 0.45),
      evidence: startupEvidence,
    },
    {
      when: (context) =>
        matchesFormat(context, 'ps-output') && /^Z/.test(String(context.failure.details['state'] ?? '')),
      confidence: 0.75,
      evidence: processEvidence,
    },
    {
      when: (context) => numberDetail(context.failure, 'heldWithoutProcessBytes') !== null,
      confidence: 0.6,
      evidence: (context) => [
        message('doctorEvidence.heldWithoutProcess', {
          held: numberDetail(context.failure, 'heldWithoutProcessBytes'),
          gpuIndex: String(context.failure.facts.gpuIndex ?? '?'),
        }),
      ],
    },
  ],
  fixes: (context) => freeTheCard(context),
  useless: [
    message('doctorAdvice.smallerBatchForeign'),
    message('doctorAdvice.killByName'),
    message('doctorAdvice.fuserKill'),
  ],
} as const satisfies CauseDefinition;
