import { message } from '../../i18n/message';
import { smallerKernel } from '../advice/steps';
import { matchesFormat, numberDetail } from '../judging/context';
import type { CauseDefinition } from './definition';

export const tritonSmem = {
  name: 'triton_smem',
  kind: 'not-memory',
  examples: {
    first: [
      'triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 81920, Hardware limit: 65536.',
    ],
    other: ['OSError: [Errno 24] Too many open files'],
  },
  rules: [
    {
      when: (context) => matchesFormat(context, 'Triton-OutOfResources', 'CUDA-shared-memory', 'XLA-on-chip'),
      confidence: 0.97,
      evidence: (context) => {
        const required = numberDetail(context.failure, 'requiredBytes');
        const limit = numberDetail(context.failure, 'limitBytes');
        return [
          required !== null && limit !== null
            ? message('doctorEvidence.onChipMemory', { required, limit })
            : message('doctorEvidence.onChipAlone'),
        ];
      },
    },
  ],
  fixes: (context) => [smallerKernel(context)],
  useless: [message('doctorAdvice.smallerBatchNotMemory'), message('doctorAdvice.shmForTriton')],
} as const satisfies CauseDefinition;
