import { message } from '../../i18n/message';
import { plan, quantisedWeights, shardModel, step } from '../advice/steps';
import { has } from '../judging/context';
import { ownTensors } from '../judging/evidence';
import { isOneOfManyRanks, ownFault } from '../judging/phases';
import type { CauseDefinition } from './definition';

export const replicatedModelPerRank = {
  name: 'replicated_model_per_rank',
  kind: 'oom',
  examples: {
    first: [
      '[rank2]:   File "/home/user/loader.py", line 152, in load_model\n[rank2]:     model = AutoModelForCausalLM.from_pretrained(**init_kwargs)\n[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 270.00 MiB. GPU 2 has a total capacity of 23.65 GiB of which 208.06 MiB is free. Of the allocated memory 22.87 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: ['out of memory'],
  },
  rules: [
    {
      when: (context) => ownFault(context) && has(context, 'ddpReducerFrame'),
      confidence: 0.84,
      evidence: (context) => [message('doctorEvidence.ddpBuckets'), ...ownTensors(context)],
    },
    {
      when: (context) =>
        ownFault(context) && has(context, 'loadFrame', 'paramArgWords') && isOneOfManyRanks(context),
      confidence: 0.78,
      evidence: (context) => [
        context.failure.rank === null
          ? message('doctorEvidence.loadOfWeights')
          : message('doctorEvidence.loadOnEachRank', { rank: context.failure.rank }),
        ...ownTensors(context),
      ],
    },
  ],
  fixes: (context) => [
    shardModel(context),
    has(context, 'ddpReducerFrame')
      ? step('doctorFixes.bucketView', 'DistributedDataParallel(…, gradient_as_bucket_view=True)')
      : null,
    has(context, 'ddpReducerFrame') ? step('doctorFixes.trainFewer') : quantisedWeights(context),
    plan(context),
  ],
  useless: [message('doctorAdvice.smallerBatchNotReached')],
} as const satisfies CauseDefinition;
