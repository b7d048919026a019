import { message } from '../../i18n/message';
import { fewerWorkers, largerSharedMemory, step } from '../advice/steps';
import { has, isStory, matchesFormat, numberDetail } from '../judging/context';
import type { CauseDefinition } from './definition';

export const shmSmall = {
  name: 'shm_small',
  kind: 'shm',
  examples: {
    first: ['RuntimeError: unable to write to file </torch_739_144252761_4>: No space left on device (28)'],
    other: ['RuntimeError: received 0 items of ancdata'],
  },
  rules: [
    {
      // A named semaphore is a file in /dev/shm: sem_open(3).
      when: (context) => matchesFormat(context, 'disk-full') && has(context, 'semaphoreFrame'),
      confidence: 0.92,
      evidence: () => [message('doctorEvidence.semaphoreInShm')],
    },
    {
      when: (context) => matchesFormat(context, 'dataloader-exited'),
      confidence: (context) => (has(context, 'container', 'sharedMemoryPath') ? 0.45 : 0.25),
      evidence: () => [message('doctorEvidence.workerGone')],
    },
    {
      when: (context) => isStory(context, 'shm'),
      confidence: (context) => {
        if (
          matchesFormat(context, 'shm-errno-28', 'nccl-shm-2.2x', 'nccl-shm-2.7') ||
          has(context, 'errno28')
        )
          return 0.96;
        if (has(context, 'mappedFile', 'largeSharedMemory')) return 0.4;
        if (matchesFormat(context, 'df-output')) return 0.6;
        return matchesFormat(context, 'elastic-sigbus') ? 0.6 : 0.8;
      },
      evidence: (context) => [
        ...(matchesFormat(context, 'dataloader-buserror', 'elastic-sigbus')
          ? [message('doctorEvidence.busError')]
          : []),
        ...(has(context, 'errno28') || matchesFormat(context, 'shm-errno-28')
          ? [message('doctorEvidence.noSpaceInShm')]
          : []),
        ...(matchesFormat(context, 'nccl-shm-2.2x', 'nccl-shm-2.7')
          ? [
              message('doctorEvidence.ncclSegment', {
                segment: numberDetail(context.failure, 'segmentBytes'),
              }),
            ]
          : []),
        ...(matchesFormat(context, 'df-output')
          ? [message('doctorEvidence.shmNearlyFull', { share: numberDetail(context.failure, 'usedPercent') })]
          : []),
      ],
    },
    {
      when: (context) => matchesFormat(context, 'fd-limit') && !has(context, 'errno24'),
      confidence: 0.35,
      evidence: () => [message('doctorEvidence.openOfSegmentFailed')],
    },
  ],
  fixes: (context) => [
    largerSharedMemory(context),
    fewerWorkers(context),
    step('doctorFixes.cleanShm', 'ls -lh /dev/shm'),
  ],
  useless: [message('doctorAdvice.smallerBatchNotMemory'), message('doctorAdvice.ulimitForShm')],
} as const satisfies CauseDefinition;
