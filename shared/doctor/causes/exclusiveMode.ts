import { message } from '../../i18n/message';
import { findHolder, step } from '../advice/steps';
import { matchesFormat } from '../judging/context';
import type { CauseDefinition } from './definition';

export const exclusiveMode = {
  name: 'exclusive_mode',
  kind: 'driver',
  examples: {
    first: ['RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable'],
    other: ['Failed to initialize NVML: Driver/library version mismatch'],
  },
  rules: [
    {
      when: (context) => matchesFormat(context, 'exclusive-mode'),
      confidence: 0.78,
      evidence: () => [message('doctorEvidence.busyOrUnavailable')],
    },
  ],
  fixes: (context) => [
    step('doctorFixes.defaultComputeMode', 'sudo nvidia-smi -c DEFAULT'),
    findHolder(context),
  ],
  useless: [message('doctorAdvice.smallerBatchNotMemory')],
} as const satisfies CauseDefinition;
