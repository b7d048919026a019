import { message } from '../../i18n/message';
import { microBatch, plan, step } from '../advice/steps';
import { matchesFormat } from '../judging/context';
import type { CauseDefinition } from './definition';

export const maskedNvmlMig = {
  name: 'masked_nvml_mig',
  kind: 'oom',
  examples: {
    first: [
      'RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":1015, please report a bug to PyTorch.',
    ],
    other: ['out of memory'],
  },
  rules: [
    {
      when: (context) => matchesFormat(context, 'NVML-assert'),
      confidence: 0.85,
      evidence: () => [message('doctorEvidence.nvmlAssert')],
    },
  ],
  fixes: (context) => [step('doctorFixes.countOnSlice'), microBatch(context), plan(context)],
  useless: [],
} as const satisfies CauseDefinition;
