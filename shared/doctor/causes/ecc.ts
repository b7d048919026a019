import { message } from '../../i18n/message';
import { resetCard, step } from '../advice/steps';
import { matchesFormat } from '../judging/context';
import { eccXids, xid } from '../judging/driver';
import type { CauseDefinition } from './definition';

export const ecc = {
  name: 'ecc',
  kind: 'driver',
  examples: {
    first: ['RuntimeError: CUDA error: uncorrectable ECC error encountered'],
    other: ['Failed to initialize NVML: Driver/library version mismatch'],
  },
  rules: [
    {
      when: (context) => matchesFormat(context, 'ECC') || eccXids.has(xid(context) ?? 0),
      confidence: 0.95,
      evidence: (context) => [
        xid(context) === null
          ? message('doctorEvidence.eccWord')
          : message('doctorEvidence.xid', { xid: String(xid(context)) }),
      ],
    },
  ],
  fixes: (context) => [
    resetCard(context),
    step('doctorFixes.retireCard', 'nvidia-smi -q -d ECC,ROW_REMAPPER'),
  ],
  useless: [message('doctorAdvice.smallerBatchNotMemory'), message('doctorAdvice.restartOnly')],
} as const satisfies CauseDefinition;
