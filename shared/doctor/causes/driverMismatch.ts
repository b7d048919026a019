import { message } from '../../i18n/message';
import { step } from '../advice/steps';
import { matchesFormat } from '../judging/context';
import type { CauseDefinition } from './definition';

export const driverMismatch = {
  name: 'driver_mismatch',
  kind: 'driver',
  examples: {
    first: ['Failed to initialize NVML: Driver/library version mismatch'],
    other: ['RuntimeError: CUDA error: uncorrectable ECC error encountered'],
  },
  rules: [
    {
      when: (context) => matchesFormat(context, 'NVML-mismatch'),
      confidence: 0.98,
      evidence: () => [message('doctorEvidence.versionMismatch')],
    },
  ],
  fixes: () => [step('doctorFixes.rebootDriver')],
  useless: [message('doctorAdvice.smallerBatchNotMemory'), message('doctorAdvice.restartOnly')],
} as const satisfies CauseDefinition;
