import { message, type Message, type MessageKey } from '../../i18n/message';
import type { CaseInLog } from '../case';
import { causeKinds } from '../causes';
import { family, has, isStory, told } from '../rules/rule';
import { seenFormat } from '../rules/seen';
import type { Cause } from '../types';
import type { catalogue } from '../../i18n/en';

type MissingKey = `doctorMissing.${keyof (typeof catalogue)['doctorMissing'] & string}` & MessageKey;

interface Gap {
  readonly key: MissingKey;
  readonly when: (at: CaseInLog, causes: readonly Cause[]) => boolean;
}

const gaps: readonly Gap[] = [
  { key: 'doctorMissing.textOfEnd', when: (at) => told(at, seenFormat) },
  { key: 'doctorMissing.failingCall', when: (at) => told(at, 'CUDA-broken-kernel', 'cuda-error') },
  { key: 'doctorMissing.lastLine', when: (at) => isStory(at, 'traceback') },
  {
    key: 'doctorMissing.numbers',
    when: (at) => told(at, 'head-only', 'cudaMallocAsync-truncated') && at.it.facts.capacityBytes === null,
  },
  {
    key: 'doctorMissing.headOfMessage',
    when: (at) =>
      isStory(at, 'gpu-oom') &&
      at.it.facts.capacityBytes !== null &&
      at.it.facts.triedBytes === null &&
      !family(at, 'vllm') &&
      !told(at, seenFormat),
  },
  {
    key: 'doctorMissing.tailOfMessage',
    when: (at) =>
      told(at, 'P2-P3-cut', 'P5-P8-cut') ||
      (family(at, 'P', 'NPU') && at.it.facts.capacityBytes !== null && at.it.facts.allocatedBytes === null),
  },
  { key: 'doctorMissing.numbersEarlier', when: (at) => !at.it.fresh },
  {
    key: 'doctorMissing.gpuIndex',
    when: (at) => told(at, 'P6b-index-as-char') && at.it.facts.gpuIndex === null,
  },
  {
    key: 'doctorMissing.frames',
    when: (at, causes) =>
      isStory(at, 'gpu-oom') &&
      causes.length > 0 &&
      !anyFrame(at) &&
      firstKind(causes) === 'oom' &&
      !told(at, seenFormat) &&
      !isSure(causes),
  },
  {
    key: 'doctorMissing.step',
    when: (at, causes) =>
      isStory(at, 'gpu-oom') &&
      at.it.progress === null &&
      among(causes, 'too_small_card_or_batch', 'batch_too_large', 'optimizer_state_first_step'),
  },
  {
    key: 'doctorMissing.growth',
    when: (_at, causes) => among(causes, 'leak_graph_retained', 'long_sample_spike') && !isSure(causes),
  },
  {
    key: 'doctorMissing.holders',
    when: (at, causes) =>
      among(
        causes.slice(0, 2),
        'other_process',
        'leftover_process',
        'sibling_process_same_job',
        'all_ranks_on_gpu0',
        'desktop_holds_vram',
        'context_overhead',
        'masked_cublas',
        'masked_cudnn',
      ) &&
      at.it.quantities.foreign.length === 0 &&
      !told(at, 'nccl-duplicate-gpu'),
  },
  {
    key: 'doctorMissing.hostMemory',
    when: (at, causes) =>
      among(
        causes,
        'host_ram_masked',
        'free_gt_request',
        'windows_commit_limit',
        'pinned_memory',
        'driver_level_oom',
        'bnb_managed_memory',
      ) || told(at, 'process-killed', 'shell-killed'),
  },
  {
    key: 'doctorMissing.reserved',
    when: (at) =>
      isStory(at, 'gpu-oom') && at.it.quantities.outsideIsBound && at.it.quantities.allocated !== null,
  },
  {
    key: 'doctorMissing.kernelLog',
    when: (at) =>
      isStory(at, 'host-oom') &&
      !told(
        at,
        'cgroup-oom-kill',
        'kernel-oom-kill',
        'slurm-oom-kill',
        'Ray-memory-monitor',
        'kubernetes-oom-killed',
        'CPUAllocator',
        'CPUAllocator-windows',
        'numpy',
        'MemoryError',
        'WinError-1455',
      ),
  },
  { key: 'doctorMissing.shmSize', when: (at) => isStory(at, 'shm') && !told(at, 'df-output') },
  { key: 'doctorMissing.openFiles', when: (at) => told(at, 'fd-limit') },
  {
    key: 'doctorMissing.otherRanks',
    when: (_at, causes) =>
      among(causes.slice(0, 1), 'nccl_victim', 'nccl_desync', 'garbage_size_after_timeout'),
  },
  {
    key: 'doctorMissing.remoteLog',
    when: (at, causes) =>
      told(at, 'nccl-remote-error', 'gloo-connection-closed') && among(causes.slice(0, 1), 'nccl_victim'),
  },
  {
    key: 'doctorMissing.cardMeant',
    when: (at) => told(at, 'NVML-assert', 'CUDA-no-device') && !has(at, 'visibleDevicesWords'),
  },
  {
    key: 'doctorMissing.driverLog',
    when: (at) => told(at, 'nvidia-smi-error', 'exclusive-mode', 'ECC', 'no-driver'),
  },
  { key: 'doctorMissing.cardInUse', when: (at) => told(at, 'exclusive-mode') },
  {
    key: 'doctorMissing.ncclDebug',
    when: (at) =>
      told(at, 'nccl-remote-error', 'nccl-watchdog-2.0', 'nccl-unhandled-cuda-error') &&
      !has(at, 'errno28') &&
      !at.it.excerpt.includes('NCCL WARN'),
  },
];

/** What the text cannot tell and what to bring, most important first. */
export function missingFor(at: CaseInLog, causes: readonly Cause[]): Message[] {
  return gaps.filter((gap) => gap.when(at, causes)).map((gap) => message(gap.key));
}

function anyFrame(at: CaseInLog): boolean {
  return [...at.it.signs].some((sign) => sign.endsWith('Frame'));
}

function among(causes: readonly Cause[], ...tags: readonly string[]): boolean {
  return causes.some(({ cause }) => tags.includes(cause));
}

function firstKind(causes: readonly Cause[]): string | null {
  return causes[0] === undefined ? null : causeKinds[causes[0].cause];
}

function isSure(causes: readonly Cause[]): boolean {
  return (causes[0]?.confidence ?? 0) >= 0.84;
}
