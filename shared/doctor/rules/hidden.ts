import { message } from '../../i18n/message';
import type { CaseInLog } from '../case';
import { family, has, isStory, told, type Rule } from './rule';

/** Out of memory without the allocator's numbers: the driver's own word, or a library that could not start. */
export const hiddenRules: readonly Rule[] = [
  {
    cause: 'driver_level_oom',
    when: (at) => family(at, 'CUDA-error') || told(at, 'cudaMalloc', 'RMM', 'TensorRT'),
    confidence: (at) => (has(at, 'pinFrame') || told(at, 'TensorRT') ? 0.4 : 0.7),
    evidence: () => [message('doctorEvidence.driverWord')],
  },
  {
    cause: 'driver_level_oom',
    when: (at) => family(at, 'P0'),
    confidence: 0.35,
    evidence: () => [message('doctorEvidence.oldDriverWord')],
  },
  {
    cause: 'pinned_memory',
    when: (at) => told(at, 'pin-memory-thread') || (has(at, 'pinFrame') && withoutNumbers(at)),
    confidence: 0.86,
    evidence: () => [message('doctorEvidence.pinFrame')],
  },
  {
    cause: 'pinned_memory',
    when: (at) => told(at, 'TF-pinned-host', 'ggml-pinned'),
    confidence: 0.85,
    evidence: () => [message('doctorEvidence.pinFrame')],
  },
  {
    cause: 'pinned_memory',
    when: (at) => family(at, 'CUDA-error') && !has(at, 'pinFrame') && !told(at, 'pin-memory-thread'),
    confidence: (at) => (has(at, 'offload') ? 0.5 : 0.3),
    evidence: () => [message('doctorEvidence.driverWord')],
  },
  {
    cause: 'driver_level_oom',
    when: (at) => told(at, 'pin-memory-thread') && !family(at, 'CUDA-error'),
    confidence: 0.35,
    evidence: () => [message('doctorEvidence.driverWord')],
  },
  {
    cause: 'bnb_managed_memory',
    when: (at) => told(at, 'bnb-C') && /pythonInterface/i.test(String(at.it.details['sourceFile'] ?? '')),
    confidence: 0.88,
    evidence: () => [message('doctorEvidence.managedMemory')],
  },
  {
    cause: 'masked_cublas',
    when: (at) => namesCublas(at) && !kernelBroke(at),
    confidence: 0.86,
    evidence: () => [message('doctorEvidence.libraryHandle', { library: 'cuBLAS' })],
  },
  {
    cause: 'masked_cudnn',
    when: (at) => namesCudnn(at) && !kernelBroke(at),
    confidence: 0.86,
    evidence: () => [message('doctorEvidence.libraryHandle', { library: 'cuDNN' })],
  },
  {
    cause: 'other_process',
    when: (at) => (namesCublas(at) || namesCudnn(at)) && !kernelBroke(at),
    confidence: 0.3,
    evidence: () => [message('doctorEvidence.libraryMayFindFull')],
  },
  {
    cause: 'masked_nvml_mig',
    when: (at) => told(at, 'NVML-assert'),
    confidence: 0.85,
    evidence: () => [message('doctorEvidence.nvmlAssert')],
  },
  {
    cause: 'wrong_device',
    when: (at) => told(at, 'NVML-assert'),
    confidence: (at) => (has(at, 'visibleDevicesWords', 'slurm') ? 0.5 : 0.25),
    evidence: () => [message('doctorEvidence.sliceMayDiffer')],
  },
];

function withoutNumbers(at: CaseInLog): boolean {
  return (
    isStory(at, 'gpu-oom') &&
    at.it.quantities.capacity === null &&
    family(at, 'CUDA-error', 'head-only', 'P0')
  );
}

function namesCublas(at: CaseInLog): boolean {
  return told(at, 'cuBLAS-masked') || (fromTensorFlow(at) && /cublas|curand|cusolver/i.test(at.it.excerpt));
}

function namesCudnn(at: CaseInLog): boolean {
  return told(at, 'cuDNN-masked') || (fromTensorFlow(at) && /cudnn|No algorithm worked/i.test(at.it.excerpt));
}

/** After a broken kernel every call fails, that which makes a handle, too. */
function kernelBroke({ it, log }: CaseInLog): boolean {
  return log.some((other) => other.format === 'CUDA-broken-kernel' && other.line < it.line);
}

function fromTensorFlow(at: CaseInLog): boolean {
  return told(at, 'TF-driver', 'TF-cuDNN');
}
