import { message } from '../../i18n/message';
import { MiB } from '../../units';
import { freeTheCard } from '../advice/steps';
import { isStory, matchesFormat, numberDetail, printedBy } from '../judging/context';
import { outside, ownTensors, requestAndFree } from '../judging/evidence';
import { firstTouch, foreignBytes, isShortByLittle, startupEvidence } from '../judging/holders';
import { kernelBroke, namesCublas, namesCudnn } from '../judging/library';
import {
  hasCardNumbers,
  othersHoldMuch,
  othersHoldThePart,
  ownShare,
  requestIsHuge,
} from '../judging/numbers';
import type { CauseDefinition } from './definition';

export const otherProcess = {
  name: 'other_process',
  kind: 'oom',
  examples: {
    first: [
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 23.65 GiB of which 300.00 MiB is free. Process 851 has 18.80 GiB memory in use. Including non-PyTorch memory, this process has 4.50 GiB memory in use. Of the allocated memory 4.00 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: ['RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED'],
  },
  rules: [
    {
      // https://docs.jax.dev/en/latest/gpu_memory_allocation.html: the first process preallocates most of the card.
      when: (context) => printedBy(context, 'jax') && isStory(context, 'gpu-oom') && !hasCardNumbers(context),
      confidence: 0.3,
      evidence: () => [message('doctorEvidence.jaxPreallocates')],
    },
    {
      when: (context) => (namesCublas(context) || namesCudnn(context)) && !kernelBroke(context),
      confidence: 0.3,
      evidence: () => [message('doctorEvidence.libraryMayFindFull')],
    },
    {
      when: othersHoldMuch,
      confidence: (context) =>
        context.failure.quantities.outsideIsBound ? 0.55 : ownShare(context) < 0.5 ? 0.86 : 0.74,
      evidence: (context) => [...outside(context), ...ownTensors(context)],
    },
    {
      when: (context) => othersHoldThePart(context) && !requestIsHuge(context),
      confidence: 0.5,
      evidence: (context) => [...outside(context), ...requestAndFree(context)],
    },
    {
      when: (context) =>
        !othersHoldMuch(context) &&
        foreignBytes(context) >= Math.max(512 * MiB, context.failure.quantities.tried ?? 0),
      confidence: 0.4,
      evidence: outside,
    },
    {
      when: (context) => matchesFormat(context, 'vllm-startup') && !isShortByLittle(context),
      confidence: 0.8,
      evidence: startupEvidence,
    },
    {
      when: (context) => matchesFormat(context, 'vllm-startup') && isShortByLittle(context),
      confidence: 0.5,
      evidence: startupEvidence,
    },
    {
      when: (context) => matchesFormat(context, 'sglang-unbalanced'),
      confidence: 0.82,
      evidence: () => [message('doctorEvidence.cardsUnequal')],
    },
    {
      when: (context) => matchesFormat(context, 'vllm-memory-profiling'),
      confidence: 0.82,
      evidence: (context) => {
        const before = numberDetail(context.failure, 'initialFreeBytes');
        const after = numberDetail(context.failure, 'currentFreeBytes');
        return before === null || after === null
          ? [message('doctorEvidence.changedWhileMeasuredAlone')]
          : [message('doctorEvidence.changedWhileMeasured', { before, after })];
      },
    },
    {
      when: (context) => matchesFormat(context, 'TF-BLAS-launch'),
      confidence: 0.4,
      evidence: () => [message('doctorEvidence.libraryMayFindFull')],
    },
    {
      when: (context) => firstTouch(context) && context.failure.quantities.capacity === null,
      confidence: 0.62,
      evidence: () => [message('doctorEvidence.firstTouch')],
    },
    {
      // JAX and TensorFlow take most of the card at the start: a small request that fails met a card already taken.
      when: (context) =>
        printedBy(context, 'jax', 'tensorflow') &&
        context.failure.quantities.tried !== null &&
        context.failure.quantities.tried < 64 * MiB,
      confidence: 0.55,
      evidence: (context) => [
        message('doctorEvidence.smallRequest', { tried: context.failure.quantities.tried }),
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
