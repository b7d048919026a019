import { message } from '../../i18n/message';
import { onTorch, shardedCheckpoint, step } from '../advice/steps';
import { has } from '../judging/context';
import { inOptimizerStep, ownFault } from '../judging/phases';
import type { CauseDefinition } from './definition';

export const checkpointSaveGather = {
  name: 'checkpoint_save_gather',
  kind: 'oom',
  examples: {
    first: [
      'Traceback (most recent call last):\n  File "train.py", line 90, in save\n    state = model.state_dict()\n  File "/env/lib/python3.11/site-packages/torch/distributed/fsdp/_state_dict_utils.py", line 303, in _full_pre_state_dict_hook\n    _common_unshard_pre_state_dict_hook(\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 40.00 MiB is free. Of the allocated memory 22.60 GiB is allocated by PyTorch, and 60.00 MiB is reserved by PyTorch but unallocated.',
    ],
    other: ['out of memory'],
  },
  rules: [
    {
      when: (context) =>
        ownFault(context) &&
        has(context, 'saveFrame', 'fsdpSaveWarning', 'saveWords') &&
        !inOptimizerStep(context),
      confidence: (context) =>
        has(context, 'fsdpSaveWarning') ? 0.85 : has(context, 'saveFrame') ? 0.78 : 0.35,
      evidence: () => [message('doctorEvidence.saveFrame')],
    },
  ],
  fixes: (context) => [
    shardedCheckpoint(context),
    step(
      'doctorFixes.gatherOnCpu',
      onTorch(context, 'FullStateDictConfig(offload_to_cpu=True, rank0_only=True)'),
    ),
  ],
  useless: [],
} as const satisfies CauseDefinition;
