import { message } from '../../i18n/message';
import { GiB } from '../../units';
import { findHolder, inWordsOf, leaveSelf, setDevice } from '../advice/steps';
import { has } from '../judging/context';
import { outside } from '../judging/evidence';
import { bareContexts, foreignBytes, pidsFollowEachOther } from '../judging/holders';
import { othersHoldMuch } from '../judging/numbers';
import { isSeen, seenDetail } from '../judging/seen';
import type { CauseDefinition } from './definition';

export const siblingProcessSameJob = {
  name: 'sibling_process_same_job',
  kind: 'oom',
  examples: {
    first: [],
    other: ['(GPU 0; 16.00 GiB total capacity; 1.00 GiB already allocated; 17.19 MiB f'],
    among: [
      '(RayWorkerWrapper pid=4009) torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 23.65 GiB of which 300.00 MiB is free. Process 851 has 18.80 GiB memory in use. Including non-PyTorch memory, this process has 4.50 GiB memory in use. Of the allocated memory 4.00 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
  },
  rules: [
    {
      // Each rank that touches CUDA before it has chosen its card leaves a bare context on every card.
      when: (context) =>
        bareContexts(context) >= 2 &&
        context.failure.facts.gpuIndex !== 0 &&
        (context.failure.rank !== null || pidsFollowEachOther(context)),
      confidence: 0.8,
      evidence: (context) => [
        message('doctorEvidence.siblingContexts', {
          count: bareContexts(context),
          held: context.failure.quantities.foreign.reduce((sum, { bytes }) => sum + bytes, 0),
        }),
        ...outside(context),
      ],
    },
    {
      when: (context) =>
        othersHoldMuch(context) || (foreignBytes(context) > GiB && has(context, 'workerWords')),
      confidence: (context) => (has(context, 'workerWords') || context.failure.rank !== null ? 0.55 : 0.25),
      evidence: outside,
    },
    {
      when: (context) =>
        isSeen(context) && othersHoldMuch(context) && seenDetail(context, 'siblingsOnCard') > 0,
      confidence: 0.88,
      evidence: outside,
    },
  ],
  fixes: (context) => [
    leaveSelf(context),
    bareContexts(context) >= 2 ? setDevice(context) : null,
    bareContexts(context) >= 2 ? null : inWordsOf(context, 'doctorFixes.shareCard', 'smallerDeviceShare'),
    findHolder(context),
  ],
  useless: [message('doctorAdvice.smallerBatchForeign'), message('doctorAdvice.killByName')],
} as const satisfies CauseDefinition;
