import { message } from '../../i18n/message';
import { fewerWorkers, pinLess, step } from '../advice/steps';
import { has, matchesFormat } from '../judging/context';
import { requestAndFree } from '../judging/evidence';
import { freeIsEnough, looksLikeWindows } from '../judging/numbers';
import type { CauseDefinition } from './definition';

export const windowsCommitLimit = {
  name: 'windows_commit_limit',
  kind: 'host-oom',
  examples: {
    first: [
      'OSError: [WinError 1455] Die Auslagerungsdatei ist zu klein. Error loading "C:\\env\\torch\\lib\\shm.dll" or one of its dependencies.',
    ],
    other: ['File "D:\\a\\train.py", line 3\nMemoryError'],
  },
  rules: [
    {
      when: (context) => freeIsEnough(context) && context.failure.fresh && looksLikeWindows(context),
      confidence: 0.62,
      evidence: (context) => [...requestAndFree(context), message('doctorEvidence.looksLikeWindows')],
    },
    {
      when: (context) => matchesFormat(context, 'WinError-1455'),
      confidence: 0.95,
      evidence: () => [message('doctorEvidence.winError1455')],
    },
    {
      when: (context) =>
        matchesFormat(context, 'MemoryError', 'CPUAllocator-windows', 'numpy', 'dataloader-exited') &&
        has(context, 'windows'),
      confidence: (context) => (has(context, 'spawnFrame') ? 0.65 : 0.35),
      evidence: () => [message('doctorEvidence.looksLikeWindows')],
    },
  ],
  fixes: (context) => [
    step('doctorFixes.largerPageFile'),
    step('doctorFixes.closePrograms'),
    has(context, 'loadFrame') || !context.failure.environment.onPyTorch ? null : fewerWorkers(context),
    has(context, 'loadFrame') || !context.failure.environment.onPyTorch ? null : pinLess(context),
  ],
  useless: [message('doctorAdvice.offloadToRam'), message('doctorAdvice.moreWorkers')],
} as const satisfies CauseDefinition;
