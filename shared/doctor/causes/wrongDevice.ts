import { message } from '../../i18n/message';
import { setDevice, step, visibleCards } from '../advice/steps';
import { has, matchesFormat } from '../judging/context';
import { sharedCard } from '../judging/driver';
import type { CauseDefinition } from './definition';

export const wrongDevice = {
  name: 'wrong_device',
  kind: 'other',
  examples: {
    first: ['init.cc:497 NCCL WARN Duplicate GPU detected : rank 2 and rank 0 both on CUDA device 1000'],
    other: [
      'RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":830, please report a bug to PyTorch.',
    ],
  },
  rules: [
    {
      when: (context) => matchesFormat(context, 'nccl-duplicate-gpu'),
      confidence: 0.85,
      evidence: sharedCard,
    },
    {
      when: (context) => matchesFormat(context, 'CUDA-no-device') && has(context, 'visibleDevicesWords'),
      confidence: 0.5,
      evidence: () => [message('doctorEvidence.noDeviceVisible')],
    },
    {
      when: (context) => matchesFormat(context, 'NVML-assert'),
      confidence: (context) => (has(context, 'visibleDevicesWords', 'slurm') ? 0.5 : 0.25),
      evidence: () => [message('doctorEvidence.sliceMayDiffer')],
    },
  ],
  fixes: (context) =>
    matchesFormat(context, 'nccl-duplicate-gpu')
      ? [
          setDevice(context),
          step('doctorFixes.oneRankACard', 'torchrun --nproc_per_node=gpu train.py'),
          visibleCards(context),
        ]
      : [step('doctorFixes.nameSlice', 'CUDA_VISIBLE_DEVICES=MIG-…'), visibleCards(context)],
  useless: [],
} as const satisfies CauseDefinition;
