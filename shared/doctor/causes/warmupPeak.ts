import { message } from '../../i18n/message';
import { inWordsOf, lowerDeviceShare, moreRoomForCache } from '../advice/steps';
import { has, matchesFormat } from '../judging/context';
import { ownTensors } from '../judging/evidence';
import { ownFault, sameRequestOnRanks } from '../judging/phases';
import type { Context } from '../failures/readFailure';
import type { CauseDefinition } from './definition';

export const warmupPeak = {
  name: 'warmup_peak',
  kind: 'oom',
  examples: {
    first: [
      'RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests. Please try lowering `max_num_seqs` or `gpu_memory_utilization` when initializing the engine.',
    ],
    other: [
      'xgboost.core.XGBoostError: [12:01:55] ../src/c_api/../data/../common/device_helpers.cuh:431: Memory allocation error on worker 0: std::bad_alloc: cudaErrorMemoryAllocation: out of memory\n- Free memory: 12582912\n- Requested memory: 9582912',
    ],
  },
  rules: [
    {
      when: (context) => ownFault(context) && (has(context, 'warmupFrame') || isWarmupMessage(context)),
      confidence: (context) => (isWarmupMessage(context) ? 0.9 : 0.78),
      evidence: (context) => [message('doctorEvidence.warmup'), ...ownTensors(context)],
    },
    {
      when: (context) =>
        ownFault(context) &&
        !has(context, 'warmupFrame') &&
        !matchesFormat(context, 'sglang-pool-used-up') &&
        !isWarmupMessage(context) &&
        has(context, 'workerWords') &&
        context.failure.progress === null,
      confidence: (context) =>
        has(context, 'warmupWords') ? 0.7 : sameRequestOnRanks(context) > 1 ? 0.55 : 0.3,
      evidence: (context) => [message('doctorEvidence.servingStart'), ...ownTensors(context)],
    },
    {
      when: (context) => matchesFormat(context, 'vllm-no-cache-blocks', 'sglang-memory-pool'),
      confidence: 0.6,
      evidence: () => [message('doctorEvidence.noCacheRoom')],
    },
  ],
  fixes: (context) =>
    matchesFormat(context, 'vllm-no-cache-blocks', 'sglang-memory-pool')
      ? moreRoomForCache(context)
      : [
          lowerDeviceShare(context),
          inWordsOf(context, 'doctorFixes.fewerSequences', 'fewerRequests'),
          inWordsOf(context, 'doctorFixes.shorterModelLength', 'contextLength'),
        ],
  useless: [message('doctorAdvice.smallerBatchNotReached')],
} as const satisfies CauseDefinition;

/** An engine that says itself that it failed while it warmed up. */
function isWarmupMessage(context: Context): boolean {
  return matchesFormat(context, 'vllm-sampler-warmup', 'tgi-warmup', 'sglang-graph-capture');
}
