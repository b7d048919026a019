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

export const ncclVictim = {
  name: 'nccl_victim',
  kind: 'nccl',
  examples: {
    first: [
      '[E ProcessGroupNCCL.cpp:455] NCCL error: remote process exited or there was a network error, NCCL version 2.14.3',
    ],
    other: [
      '[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=96120, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 25624887 milliseconds before timing out.\n[Rank 7] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=64088, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 25625251 milliseconds before timing out.',
    ],
  },
  rules: [
    {
      when: (context) =>
        isStory(context, 'nccl-wait') && memoryFailure(context) === null && !onlyUnhandled(context),
      confidence: (context) =>
        remote(context)
          ? 0.88
          : sequenceNumbers(context).size > 1 || numbersOfElementsDiffer(context)
            ? 0.35
            : 0.8,
      evidence: (context) => [
        message(remote(context) ? 'doctorEvidence.remoteGone' : 'doctorEvidence.onlyWaited'),
        ...(remote(context) ? [] : sequenceEvidence(context)),
      ],
    },
  ],
  fixes: () => [step('doctorFixes.findFirstRank'), step('doctorFixes.readOtherLog'), flightRecorder],
  useless: [message('doctorAdvice.raiseTimeout')],
} as const satisfies CauseDefinition;
