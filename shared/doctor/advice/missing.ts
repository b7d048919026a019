import { message, type Message, type MessageKey } from '../../i18n/message';
import type { Context } from '../failures/readFailure';
import type { Cause } from '../causes';
import { isKill } from '../failures/root';
import { programRow } from '../words/environment';
import {
  has,
  isStory,
  isTorchAllocator,
  isTorchFrom,
  madeBy,
  matchesFormat,
  printedBy,
} from '../judging/context';
import { seenFormat } from '../judging/seen';
import type { FoundCause } from '../judging/judge';
import type { catalogue } from '../../i18n/en';

type MissingKey = `doctorMissing.${keyof (typeof catalogue)['doctorMissing'] & string}` & MessageKey;

interface Gap {
  readonly key: MissingKey;
  readonly when: (context: Context, causes: readonly FoundCause[]) => boolean;
}

const gaps: readonly Gap[] = [
  { key: 'doctorMissing.textOfEnd', when: (context) => matchesFormat(context, seenFormat) },
  {
    key: 'doctorMissing.failingCall',
    when: (context) => matchesFormat(context, 'CUDA-broken-kernel', 'cuda-error'),
  },
  { key: 'doctorMissing.lastLine', when: (context) => isStory(context, 'traceback') },
  {
    key: 'doctorMissing.numbers',
    when: (context) =>
      matchesFormat(context, 'head-only', 'cudaMallocAsync-truncated') &&
      context.failure.facts.capacityBytes === null,
  },
  {
    key: 'doctorMissing.headOfMessage',
    when: (context) =>
      isStory(context, 'gpu-oom') &&
      context.failure.facts.capacityBytes !== null &&
      context.failure.facts.triedBytes === null &&
      !printedBy(context, 'vllm') &&
      !matchesFormat(context, seenFormat),
  },
  {
    key: 'doctorMissing.tailOfMessage',
    when: (context) =>
      matchesFormat(context, 'P2-P3-cut', 'P5-P8-cut') ||
      (isTorchAllocator(context) &&
        context.failure.facts.capacityBytes !== null &&
        context.failure.facts.allocatedBytes === null),
  },
  { key: 'doctorMissing.numbersEarlier', when: (context) => !context.failure.fresh },
  {
    key: 'doctorMissing.gpuIndex',
    when: (context) => matchesFormat(context, 'P6b-index-as-char') && context.failure.facts.gpuIndex === null,
  },
  {
    key: 'doctorMissing.frames',
    when: (context, causes) =>
      isStory(context, 'gpu-oom') &&
      mayTrain(context) &&
      causes.length > 0 &&
      !anyFrame(context) &&
      firstKind(causes) === 'oom' &&
      !matchesFormat(context, seenFormat) &&
      !isSure(causes),
  },
  {
    key: 'doctorMissing.step',
    when: (context, causes) =>
      isStory(context, 'gpu-oom') &&
      mayTrain(context) &&
      context.failure.progress === null &&
      among(causes, 'too_small_card_or_batch', 'batch_too_large', 'optimizer_state_first_step'),
  },
  {
    key: 'doctorMissing.growth',
    when: (_at, causes) => among(causes, 'leak_graph_retained', 'long_sample_spike') && !isSure(causes),
  },
  {
    key: 'doctorMissing.memorySnapshot',
    when: (context, causes) =>
      isTorchAllocator(context) &&
      // The recorder and its file came with 2.1, for CUDA and HIP.
      isTorchFrom(context, '2.1') &&
      !madeBy(context, 'intel', 'huawei', 'cambricon', 'moore-threads') &&
      mayTrain(context) &&
      ['oom', 'leak'].includes(firstKind(causes) ?? '') &&
      !among(causes.slice(0, 1), 'other_process', 'leftover_process', 'desktop_holds_vram'),
  },
  {
    key: 'doctorMissing.holders',
    when: (context, causes) =>
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
      context.failure.quantities.foreign.length === 0 &&
      !matchesFormat(context, 'nccl-duplicate-gpu'),
  },
  {
    key: 'doctorMissing.hostMemory',
    when: (context, causes) =>
      among(
        causes,
        'host_ram_masked',
        'free_gt_request',
        'windows_commit_limit',
        'pinned_memory',
        'driver_level_oom',
        'bnb_managed_memory',
      ) || matchesFormat(context, 'process-killed', 'shell-killed'),
  },
  {
    key: 'doctorMissing.reserved',
    when: (context) =>
      isStory(context, 'gpu-oom') &&
      context.failure.quantities.outsideIsBound &&
      context.failure.quantities.allocated !== null,
  },
  {
    key: 'doctorMissing.kernelLog',
    when: (context) =>
      isKill(context.failure) ||
      matchesFormat(
        context,
        'shell-killed',
        'dataloader',
        'child-killed',
        'pool-broken',
        'notebook-kernel-died',
        'Ray-worker-died',
      ),
  },
  {
    key: 'doctorMissing.shmSize',
    when: (context) => isStory(context, 'shm') && !matchesFormat(context, 'df-output'),
  },
  { key: 'doctorMissing.openFiles', when: (context) => matchesFormat(context, 'fd-limit') },
  {
    key: 'doctorMissing.otherRanks',
    when: (_at, causes) =>
      among(causes.slice(0, 1), 'nccl_victim', 'nccl_desync', 'garbage_size_after_timeout'),
  },
  {
    key: 'doctorMissing.remoteLog',
    when: (context, causes) =>
      matchesFormat(context, 'nccl-remote-error', 'gloo-connection-closed') &&
      among(causes.slice(0, 1), 'nccl_victim'),
  },
  {
    key: 'doctorMissing.cardMeant',
    when: (context) =>
      matchesFormat(context, 'NVML-assert', 'CUDA-no-device') && !has(context, 'visibleDevicesWords'),
  },
  {
    key: 'doctorMissing.driverLog',
    when: (context) => matchesFormat(context, 'nvidia-smi-error', 'exclusive-mode', 'ECC', 'no-driver'),
  },
  {
    key: 'doctorMissing.cardInUse',
    when: (context) => matchesFormat(context, 'exclusive-mode') && !has(context, 'exclusiveWords'),
  },
  {
    key: 'doctorMissing.ncclDebug',
    when: (context) =>
      matchesFormat(context, 'nccl-remote-error', 'nccl-watchdog-2.0', 'nccl-unhandled-cuda-error') &&
      !has(context, 'errno28') &&
      !context.failure.excerpt.includes('NCCL WARN'),
  },
];

/** What the text cannot tell and what to bring, most important first. */
export function missingFor(context: Context, causes: readonly FoundCause[]): Message[] {
  return gaps.filter((gap) => gap.when(context, causes)).map((gap) => message(gap.key));
}

/** A program that only serves or makes images has no steps and phases. */
function mayTrain({ failure: { environment } }: Context): boolean {
  const row = programRow(environment);
  return row === null || row.does === 'training';
}

function anyFrame(context: Context): boolean {
  return [...context.failure.signs].some((sign) => sign.endsWith('Frame'));
}

function among(causes: readonly FoundCause[], ...names: readonly Cause[]): boolean {
  return causes.some(({ cause }) => names.includes(cause));
}

function firstKind(causes: readonly FoundCause[]): string | null {
  return causes[0]?.definition.kind ?? null;
}

function isSure(causes: readonly FoundCause[]): boolean {
  return (causes[0]?.confidence ?? 0) >= 0.84;
}
