import { message } from '../../i18n/message';
import { fewerWorkers, pinLess, step } from '../advice/steps';
import { has, isDriverWord, matchesFormat } from '../judging/context';
import { withoutNumbers } from '../judging/library';
import type { CauseDefinition } from './definition';

export const pinnedMemory = {
  name: 'pinned_memory',
  kind: 'oom',
  examples: {
    first: ['RuntimeError: Caught RuntimeError in pin memory thread for device 0.'],
    other: ['RuntimeError: HIP error: out of memory'],
  },
  rules: [
    {
      when: (context) =>
        matchesFormat(context, 'pin-memory-thread') || (has(context, 'pinFrame') && withoutNumbers(context)),
      confidence: 0.86,
      evidence: () => [message('doctorEvidence.pinFrame')],
    },
    {
      when: (context) => matchesFormat(context, 'TF-pinned-host', 'ggml-pinned'),
      confidence: 0.85,
      evidence: () => [message('doctorEvidence.pinFrame')],
    },
    {
      when: (context) =>
        isDriverWord(context) && !has(context, 'pinFrame') && !matchesFormat(context, 'pin-memory-thread'),
      confidence: (context) => (has(context, 'offload') ? 0.5 : 0.3),
      evidence: () => [message('doctorEvidence.driverWord')],
    },
  ],
  fixes: (context) => [
    pinLess(context),
    context.failure.environment.onPyTorch ? fewerWorkers(context) : null,
    step('doctorFixes.raiseLockedLimit', 'ulimit -l unlimited'),
  ],
  useless: [],
} as const satisfies CauseDefinition;
