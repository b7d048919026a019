import { message } from '../../i18n/message';
import { fewerWorkers, onTorch, step } from '../advice/steps';
import { has, matchesFormat } from '../judging/context';
import type { CauseDefinition } from './definition';

export const fdLimit = {
  name: 'fd_limit',
  kind: 'not-memory',
  examples: {
    first: ['OSError: [Errno 24] Too many open files'],
    other: [
      'triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 81920, Hardware limit: 65536.',
    ],
  },
  rules: [
    {
      when: (context) => matchesFormat(context, 'fd-limit'),
      confidence: (context) => (has(context, 'errno24') ? 0.95 : 0.8),
      evidence: (context) => [
        message(has(context, 'errno24') ? 'doctorEvidence.errno24' : 'doctorEvidence.noDescriptor'),
      ],
    },
  ],
  fixes: (context) => [
    step('doctorFixes.raiseOpenFiles', 'ulimit -n 65536'),
    step(
      'doctorFixes.fileSystemSharing',
      onTorch(context, 'torch.multiprocessing.set_sharing_strategy("file_system")'),
    ),
    fewerWorkers(context),
  ],
  useless: [message('doctorAdvice.smallerBatchNotMemory'), message('doctorAdvice.openFilesForShm')],
} as const satisfies CauseDefinition;
