import { message } from '../../i18n/message';
import { otherCard, step } from '../advice/steps';
import { has, matchesFormat } from '../judging/context';
import { processEvidence } from '../judging/holders';
import type { CauseDefinition } from './definition';

export const leftoverProcessUnkillable = {
  name: 'leftover_process_unkillable',
  kind: 'zombie',
  examples: {
    first: [
      '    PID  PPID STAT CMD\n  77637     1 D    python train.py\n  [<0>] uvm_spin_loop+0xb4/0x100 [nvidia_uvm]',
    ],
    other: ['out of memory'],
  },
  rules: [
    {
      when: (context) =>
        matchesFormat(context, 'ps-output') &&
        (has(context, 'kernelStackInDriver') || /^D/.test(String(context.failure.details['state'] ?? ''))),
      confidence: 0.88,
      evidence: processEvidence,
    },
  ],
  fixes: (context) => [
    step(
      'doctorFixes.rebootForUnkillable',
      `sudo cat /proc/${context.failure.details['pid'] ?? 'PID'}/stack`,
    ),
    otherCard(context),
  ],
  useless: [
    message('doctorAdvice.smallerBatchForeign'),
    message('doctorAdvice.killByName'),
    message('doctorAdvice.killAgain'),
  ],
} as const satisfies CauseDefinition;
