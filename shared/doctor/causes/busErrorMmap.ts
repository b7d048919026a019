import { message } from '../../i18n/message';
import { step } from '../advice/steps';
import { has, matchesFormat } from '../judging/context';
import type { CauseDefinition } from './definition';

export const busErrorMmap = {
  name: 'bus_error_mmap',
  kind: 'shm',
  examples: {
    first: [
      'opened train.lmdb read-only\nRuntimeError: DataLoader worker (pid 47) is killed by signal: Bus error.',
    ],
    other: ['exits with return code = -7'],
  },
  rules: [
    {
      when: (context) =>
        matchesFormat(context, 'dataloader-buserror', 'elastic-sigbus') && !has(context, 'errno28'),
      confidence: (context) =>
        has(context, 'mappedFile') ? 0.72 : has(context, 'largeSharedMemory') ? 0.6 : 0.25,
      evidence: (context) => [
        message('doctorEvidence.busError'),
        ...(has(context, 'mappedFile') ? [message('doctorEvidence.mappedFile')] : []),
      ],
    },
  ],
  fixes: () => [step('doctorFixes.rebuildMappedFile')],
  useless: [message('doctorAdvice.smallerBatchNotMemory'), message('doctorAdvice.shmForMappedFile')],
} as const satisfies CauseDefinition;
