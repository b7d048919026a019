import { message } from '../../i18n/message';
import { lowerDeviceShare, pinLess, step, watchCard } from '../advice/steps';
import { has, isDriverWord, madeBy, matchesFormat } from '../judging/context';
import type { CauseDefinition } from './definition';

export const driverLevelOom = {
  name: 'driver_level_oom',
  kind: 'oom',
  examples: {
    first: [
      "torch.AcceleratorError: CUDA error: out of memory\nSearch for `cudaErrorMemoryAllocation' in the documentation for more information.",
    ],
    other: ['RuntimeError: Caught RuntimeError in pin memory thread for device 0.'],
  },
  rules: [
    {
      when: (context) =>
        isDriverWord(context) || matchesFormat(context, 'cudaMalloc', 'HIP-malloc', 'RMM', 'TensorRT'),
      confidence: (context) => (has(context, 'pinFrame') || matchesFormat(context, 'TensorRT') ? 0.4 : 0.7),
      evidence: () => [message('doctorEvidence.driverWord')],
    },
    {
      when: (context) => matchesFormat(context, 'P0-THCudaCheck'),
      confidence: 0.35,
      evidence: () => [message('doctorEvidence.oldDriverWord')],
    },
    {
      when: (context) => matchesFormat(context, 'pin-memory-thread') && !isDriverWord(context),
      confidence: 0.35,
      evidence: () => [message('doctorEvidence.driverWord')],
    },
  ],
  fixes: (context) => [
    matchesFormat(context, 'CUDA-error-vllm-pool') ? lowerDeviceShare(context) : null,
    step(
      'doctorFixes.findFirstCall',
      madeBy(context, 'amd') ? 'HIP_LAUNCH_BLOCKING=1' : 'CUDA_LAUNCH_BLOCKING=1',
    ),
    watchCard(context),
    context.failure.environment.onPyTorch ? pinLess(context) : null,
  ],
  useless: [],
} as const satisfies CauseDefinition;
