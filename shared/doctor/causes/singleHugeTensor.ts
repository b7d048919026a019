import { message } from '../../i18n/message';
import { GiB } from '../../units';
import { dataStream, fusedAttention, plan, step } from '../advice/steps';
import { has, isStory, matchesFormat } from '../judging/context';
import { requestAndFree, requestOfCard } from '../judging/evidence';
import { requestIsAbsurd, requestIsHuge } from '../judging/numbers';
import type { CauseDefinition } from './definition';

export const singleHugeTensor = {
  name: 'single_huge_tensor',
  kind: 'oom',
  examples: {
    first: [
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 61.00 GiB. GPU 0 has a total capacity of 39.39 GiB of which 37.00 GiB is free. Of the allocated memory 1.20 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: ['memory allocation of 34359738368 bytes failed\nAborted (core dumped)'],
  },
  rules: [
    {
      when: (context) => matchesFormat(context, 'TF-dst-tensor'),
      confidence: 0.72,
      evidence: () => [message('doctorEvidence.copyTarget')],
    },
    {
      when: (context) => matchesFormat(context, 'Metal-size-limit'),
      confidence: 0.92,
      evidence: () => [message('doctorEvidence.metalSizeLimit')],
    },
    {
      when: (context) => matchesFormat(context, 'MLX-buffer'),
      confidence: 0.72,
      evidence: (context) => [
        message('doctorEvidence.oneBuffer', { tried: context.failure.facts.triedBytes }),
      ],
    },
    {
      when: requestIsHuge,
      confidence: (context) => (has(context, 'attentionFrame', 'lossFrame') ? 0.5 : 0.86),
      evidence: (context) => [...requestOfCard(context), ...requestAndFree(context)],
    },
    {
      when: (context) => matchesFormat(context, 'MPS-buffer'),
      confidence: 0.72,
      evidence: (context) => [
        message('doctorEvidence.oneBuffer', { tried: context.failure.facts.triedBytes }),
      ],
    },
    {
      when: (context) => isStory(context, 'host-oom') && (context.failure.facts.triedBytes ?? 0) >= 16 * GiB,
      confidence: 0.6,
      evidence: (context) => [
        message('doctorEvidence.hostRequest', { tried: context.failure.facts.triedBytes }),
      ],
    },
  ],
  fixes: (context) => [
    requestIsAbsurd(context) ? step('doctorFixes.startClean') : null,
    dataStream(context),
    step('doctorFixes.smallerTensor'),
    fusedAttention(context),
    isStory(context, 'host-oom') ? step('doctorFixes.mapData') : plan(context),
  ],
  useless: [],
} as const satisfies CauseDefinition;
