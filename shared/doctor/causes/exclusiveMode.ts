import { message } from '../../i18n/message';
import { findHolder, step } from '../advice/steps';
import { has, matchesFormat } from '../judging/context';
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
      confidence: (context) => (has(context, 'exclusiveWords') ? 0.96 : 0.78),
      evidence: (context) => [
        message('doctorEvidence.busyOrUnavailable'),
        ...(has(context, 'exclusiveWords') ? [message('doctorEvidence.exclusiveShown')] : []),
      ],
    },
  ],
  fixes: (context) => [
    step('doctorFixes.defaultComputeMode', 'sudo nvidia-smi -c DEFAULT'),
    findHolder(context),
  ],
  useless: [message('doctorAdvice.smallerBatchNotMemory')],
} as const satisfies CauseDefinition;
