import { message } from '../../i18n/message';
import { hostMemory, step } from '../advice/steps';
import { matchesFormat } from '../judging/context';
import type { CauseDefinition } from './definition';

export const bnbManagedMemory = {
  name: 'bnb_managed_memory',
  kind: 'oom',
  examples: {
    first: ['Error out of memory at line 380 in file /home/user/bitsandbytes/csrc/pythonInterface.c'],
    other: ['out of memory'],
  },
  rules: [
    {
      when: (context) =>
        matchesFormat(context, 'bnb-C') &&
        /pythonInterface/i.test(String(context.failure.details['sourceFile'] ?? '')),
      confidence: 0.88,
      evidence: () => [message('doctorEvidence.managedMemory')],
    },
  ],
  fixes: (context) => [step('doctorFixes.plainOptimizer', 'optim="adamw_bnb_8bit"'), hostMemory(context)],
  useless: [],
} as const satisfies CauseDefinition;
