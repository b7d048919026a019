import { message } from '../../i18n/message';
import { has, isStory, numberDetail, told, type Rule } from './rule';

/** /dev/shm, memory-mapped files and open files, which fail in each other's words. */
export const sharedMemoryRules: readonly Rule[] = [
  {
    cause: 'shm_small',
    when: (at) => isStory(at, 'shm'),
    confidence: (at) => {
      if (told(at, 'shm-errno-28', 'nccl-shm-2.2x', 'nccl-shm-2.7') || has(at, 'errno28')) return 0.96;
      if (has(at, 'mappedFile', 'largeSharedMemory')) return 0.4;
      if (told(at, 'df-output')) return 0.6;
      return told(at, 'elastic-sigbus') ? 0.6 : 0.8;
    },
    evidence: (at) => [
      ...(told(at, 'dataloader-buserror', 'elastic-sigbus') ? [message('doctorEvidence.busError')] : []),
      ...(has(at, 'errno28') || told(at, 'shm-errno-28') ? [message('doctorEvidence.noSpaceInShm')] : []),
      ...(told(at, 'nccl-shm-2.2x', 'nccl-shm-2.7')
        ? [message('doctorEvidence.ncclSegment', { segment: numberDetail(at.it, 'segmentBytes') })]
        : []),
      ...(told(at, 'df-output')
        ? [message('doctorEvidence.shmNearlyFull', { share: numberDetail(at.it, 'usedPercent') })]
        : []),
    ],
  },
  {
    cause: 'bus_error_mmap',
    when: (at) => told(at, 'dataloader-buserror', 'elastic-sigbus') && !has(at, 'errno28'),
    confidence: (at) => (has(at, 'mappedFile') ? 0.72 : has(at, 'largeSharedMemory') ? 0.6 : 0.25),
    evidence: (at) => [
      message('doctorEvidence.busError'),
      ...(has(at, 'mappedFile') ? [message('doctorEvidence.mappedFile')] : []),
    ],
  },
  {
    cause: 'fd_limit',
    when: (at) => told(at, 'fd-limit'),
    confidence: (at) => (has(at, 'errno24') ? 0.95 : 0.8),
    evidence: (at) => [
      message(has(at, 'errno24') ? 'doctorEvidence.errno24' : 'doctorEvidence.noDescriptor'),
    ],
  },
  {
    cause: 'shm_small',
    when: (at) => told(at, 'fd-limit') && !has(at, 'errno24'),
    confidence: 0.35,
    evidence: () => [message('doctorEvidence.openOfSegmentFailed')],
  },
  {
    cause: 'triton_smem',
    when: (at) => told(at, 'Triton-OutOfResources', 'CUDA-shared-memory'),
    confidence: 0.97,
    evidence: (at) => {
      const required = numberDetail(at.it, 'requiredBytes');
      const limit = numberDetail(at.it, 'limitBytes');
      return [
        required !== null && limit !== null
          ? message('doctorEvidence.onChipMemory', { required, limit })
          : message('doctorEvidence.onChipAlone'),
      ];
    },
  },
];
