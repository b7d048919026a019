import { message } from '../../i18n/message';
import { readXid, step } from '../advice/steps';
import { matchesFormat } from '../judging/context';
import { xid } from '../judging/driver';
import type { CauseDefinition } from './definition';

export const xid79 = {
  name: 'xid_79',
  kind: 'driver',
  examples: {
    first: ['kernel: [14282.651831] NVRM: Xid (PCI:0000:03:00): 79, pid=4101, GPU has fallen off the bus.'],
    other: ['| ERR! ERR! ERR!    ERR! / ERR! | GPU is lost          |    ERR!'],
  },
  rules: [
    {
      when: (context) => xid(context) === 79,
      confidence: 0.97,
      evidence: () => [message('doctorEvidence.xid', { xid: '79' })],
    },
    {
      when: (context) => matchesFormat(context, 'NVRM-no-Xid') && xid(context) !== 79,
      confidence: 0.9,
      evidence: () => [message('doctorEvidence.offTheBus')],
    },
    {
      when: (context) => matchesFormat(context, 'nvidia-smi-error') && xid(context) !== 79,
      confidence: 0.7,
      evidence: () => [message('doctorEvidence.noAnswer')],
    },
  ],
  fixes: () => [step('doctorFixes.checkPower'), readXid],
  useless: [message('doctorAdvice.smallerBatchNotMemory')],
} as const satisfies CauseDefinition;
