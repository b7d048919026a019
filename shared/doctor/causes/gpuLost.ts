import { message } from '../../i18n/message';
import { readXid, resetCard, step } from '../advice/steps';
import { matchesFormat } from '../judging/context';
import { gspXids, xid } from '../judging/driver';
import type { CauseDefinition } from './definition';

export const gpuLost = {
  name: 'gpu_lost',
  kind: 'driver',
  examples: {
    first: ['Unable to determine the device handle for GPU0000:03:00.0: Unknown Error'],
    other: ['RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable'],
  },
  rules: [
    {
      when: (context) => matchesFormat(context, 'nvidia-smi-error'),
      confidence: 0.93,
      evidence: () => [message('doctorEvidence.noAnswer')],
    },
    {
      when: (context) =>
        matchesFormat(context, 'NVRM-no-Xid', 'Xid') &&
        (xid(context) === 79 || matchesFormat(context, 'NVRM-no-Xid') || gspXids.has(xid(context) ?? 0)),
      confidence: 0.7,
      evidence: (context) => [message('doctorEvidence.xid', { xid: String(xid(context) ?? '-') })],
    },
    {
      when: (context) => matchesFormat(context, 'exclusive-mode'),
      confidence: 0.25,
      evidence: () => [message('doctorEvidence.busyOrUnavailable')],
    },
  ],
  fixes: (context) => [readXid, resetCard(context), step('doctorFixes.checkPower')],
  useless: [message('doctorAdvice.smallerBatchNotMemory')],
} as const satisfies CauseDefinition;
