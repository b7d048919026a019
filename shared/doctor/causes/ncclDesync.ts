import { message } from '../../i18n/message';
import { flightRecorder, step } from '../advice/steps';
import { isStory } from '../judging/context';
import {
  memoryFailure,
  numbersOfElementsDiffer,
  onlyUnhandled,
  remote,
  sequenceEvidence,
  sequenceNumbers,
} from '../judging/ranks';
import type { CauseDefinition } from './definition';

export const ncclDesync = {
  name: 'nccl_desync',
  kind: 'nccl',
  examples: {
    first: [
      '[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=96120, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 25624887 milliseconds before timing out.\n[Rank 7] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=64088, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 25625251 milliseconds before timing out.',
    ],
    other: ['RuntimeError: [Rank 0]: Ranks 3 failed to pass monitoredBarrier in 1800000 ms'],
  },
  rules: [
    {
      when: (context) =>
        isStory(context, 'nccl-wait') &&
        memoryFailure(context) === null &&
        !remote(context) &&
        !onlyUnhandled(context),
      confidence: (context) =>
        sequenceNumbers(context).size > 1 || numbersOfElementsDiffer(context) ? 0.85 : 0.35,
      evidence: sequenceEvidence,
    },
  ],
  fixes: (context) => [
    numbersOfElementsDiffer(context)
      ? step('doctorFixes.sameTensors')
      : step('doctorFixes.evenBatches', 'DistributedSampler(…, drop_last=True)'),
    step('doctorFixes.sameWork'),
    flightRecorder,
  ],
  useless: [message('doctorAdvice.raiseTimeout')],
} as const satisfies CauseDefinition;
