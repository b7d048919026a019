import { message } from '../../i18n/message';
import { microBatch, onTorch, step } from '../advice/steps';
import { has, isStory, matchesFormat } from '../judging/context';
import { memoryFailure } from '../judging/ranks';
import type { CauseDefinition } from './definition';

export const ncclBuffersOom = {
  name: 'nccl_buffers_oom',
  kind: 'nccl',
  examples: {
    first: ["node:3018451:3018451 [0] enqueue.cc:1085 NCCL WARN Cuda failure 'out of memory'"],
    other: ['RuntimeError: [Rank 0]: Ranks 3 failed to pass monitoredBarrier in 1800000 ms'],
  },
  rules: [
    {
      when: (context) => isStory(context, 'nccl-oom'),
      confidence: 0.92,
      evidence: (context) => [
        message('doctorEvidence.ncclNoRoom', { gpuIndex: context.failure.facts.gpuIndex }),
        ...(context.failure.facts.triedBytes === null
          ? []
          : [message('doctorEvidence.ncclBuffer', { tried: context.failure.facts.triedBytes })]),
      ],
    },
    {
      // NCCL says no more without NCCL_DEBUG; a card that is full is the commonest reason.
      when: (context) =>
        matchesFormat(context, 'nccl-unhandled-cuda-error') &&
        !isStory(context, 'nccl-oom') &&
        context.failure.details['cudaFailure'] === undefined &&
        memoryFailure(context) === null,
      confidence: 0.5,
      evidence: () => [message('doctorEvidence.unhandledCudaError')],
    },
    {
      // The error was raised where a communicator is made, with the card full.
      when: (context) =>
        isStory(context, 'gpu-oom') && has(context, 'ddpConstructionFrame') && has(context, 'ncclInText'),
      confidence: 0.45,
      evidence: () => [message('doctorEvidence.communicator')],
    },
  ],
  fixes: (context) => [
    step('doctorFixes.roomForNccl', onTorch(context, 'torch.cuda.set_per_process_memory_fraction(0.95)')),
    microBatch(context),
  ],
  useless: [],
} as const satisfies CauseDefinition;
