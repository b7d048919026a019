import { message } from '../../i18n/message';
import { chunkHostArray, lessHostMemory, moreHostMemory, step, whoKilled } from '../advice/steps';
import { has, isStory, matchesFormat, numberDetail } from '../judging/context';
import { hostConfidence, hostEvidence, limitWasMet } from '../judging/hostMemory';
import { hostFullShare, isSeen, seenDetail } from '../judging/seen';
import type { CauseDefinition } from './definition';

export const hostRam = {
  name: 'host_ram',
  kind: 'host-oom',
  examples: {
    first: [
      'Memory cgroup out of memory: Killed process 629 (python) total-vm:14119556kB, anon-rss:6538204kB, file-rss:80652kB',
    ],
    other: ['OSError: [WinError 1455] 页面文件太小，无法完成操作。'],
  },
  rules: [
    {
      when: (context) => isStory(context, 'host-oom') && !matchesFormat(context, 'WinError-1455'),
      confidence: hostConfidence,
      evidence: hostEvidence,
    },
    {
      when: (context) =>
        matchesFormat(context, 'TF-tensor') && context.failure.details['hostDevice'] !== undefined,
      confidence: 0.88,
      evidence: () => [message('doctorEvidence.cpuDevice')],
    },
    {
      when: (context) =>
        isSeen(context) &&
        seenDetail(context, 'hostUsedBytes') >
          hostFullShare * (numberDetail(context.failure, 'hostTotalBytes') ?? Infinity),
      confidence: 0.6,
      evidence: (context) => [
        message('doctorEvidence.seenHost', {
          used: numberDetail(context.failure, 'hostUsedBytes'),
          total: numberDetail(context.failure, 'hostTotalBytes'),
        }),
      ],
    },
  ],
  fixes: (context) => [
    chunkHostArray(context),
    // Whoever was told of a limit can have it raised; elsewhere needing less is all there is.
    ...(limitWasMet(context)
      ? [moreHostMemory(context), ...lessHostMemory(context)]
      : [...lessHostMemory(context), moreHostMemory(context)]),
    has(context, 'offload') ? step('doctorFixes.offloadToDisk') : null,
    whoKilled(context),
  ],
  useless: [message('doctorAdvice.offloadToRam'), message('doctorAdvice.moreWorkers')],
} as const satisfies CauseDefinition;
