import { message, type Message } from '../../i18n/message';
import type { CaseInLog } from '../case';
import { causeKinds, type CauseTag } from '../causes';
import { family, isStory, told } from '../rules/rule';
import type { Cause } from '../types';

/**
 * Advice that people give for such messages and that does nothing here: research/oom.md, section 4. Each says for
 * which first causes (and messages) it is useless.
 */
interface Advice {
  readonly text: (at: CaseInLog) => Message;
  readonly uselessFor: (at: CaseInLog, first: CauseTag, causes: readonly Cause[]) => boolean;
}

const somebodyElse: ReadonlySet<CauseTag> = new Set([
  'other_process',
  'leftover_process',
  'leftover_process_unkillable',
  'sibling_process_same_job',
  'ipc_mapping_holder',
  'desktop_holds_vram',
]);
const refused: ReadonlySet<CauseTag> = new Set([
  'free_gt_request',
  'host_ram_masked',
  'windows_commit_limit',
  'per_allocation_limit',
  'capacity_misreported',
]);
const beforeAnyBatch: ReadonlySet<CauseTag> = new Set([
  'replicated_model_per_rank',
  'resume_double_state',
  'warmup_peak',
  'context_overhead',
]);
const evaluation: ReadonlySet<CauseTag> = new Set([
  'eval_without_no_grad',
  'eval_peak',
  'eval_logits_accumulation',
]);
/** Settings of the allocator do change these. */
const allocatorHelps: ReadonlySet<CauseTag> = new Set(['fragmentation', 'long_sample_spike']);
/** Where somebody else than the caching allocator asks the driver, its unused reserve is what is missing. */
const unusedReserveIsInTheWay: ReadonlySet<CauseTag> = new Set([
  'fragmentation',
  'driver_level_oom',
  'masked_cublas',
  'masked_cudnn',
  'nccl_buffers_oom',
]);
const hugeRequest: ReadonlySet<CauseTag> = new Set(['single_huge_tensor', 'attention_math_fallback']);

const advice: readonly Advice[] = [
  {
    text: (at) => message('doctorAdvice.killSelf', { pid: String(at.it.quantities.ownListed?.pid ?? '?') }),
    uselessFor: (at) => at.it.quantities.ownListed !== null,
  },
  {
    text: () => message('doctorAdvice.allocatorSettings'),
    uselessFor: (at, first, causes) =>
      isStory(at, 'gpu-oom') &&
      family(at, 'P', 'NPU', 'XPU') &&
      !causes.some(({ cause }) => allocatorHelps.has(cause)) &&
      !hugeRequest.has(first),
  },
  {
    text: () => message('doctorAdvice.allocatorSettingsHuge'),
    uselessFor: (at, first) => isStory(at, 'gpu-oom') && hugeRequest.has(first),
  },
  {
    text: () => message('doctorAdvice.emptyCache'),
    uselessFor: (at, first) => isStory(at, 'gpu-oom') && !unusedReserveIsInTheWay.has(first),
  },
  {
    text: () => message('doctorAdvice.smallerBatchForeign'),
    uselessFor: (_at, first) => somebodyElse.has(first),
  },
  {
    text: () => message('doctorAdvice.smallerBatchRefused'),
    uselessFor: (at, first) => isStory(at, 'gpu-oom') && refused.has(first),
  },
  {
    text: () => message('doctorAdvice.smallerBatchNotReached'),
    uselessFor: (_at, first) => beforeAnyBatch.has(first),
  },
  {
    text: () => message('doctorAdvice.smallerBatchNotMemory'),
    uselessFor: (_at, first) => ['driver', 'shm', 'not-memory'].includes(causeKinds[first]),
  },
  {
    text: () => message('doctorAdvice.fewerEpochs'),
    uselessFor: (at, first) =>
      isStory(at, 'gpu-oom') && causeKinds[first] === 'oom' && !somebodyElse.has(first),
  },
  {
    text: () => message('doctorAdvice.killByName'),
    uselessFor: (_at, first) => somebodyElse.has(first),
  },
  { text: () => message('doctorAdvice.fuserKill'), uselessFor: (_at, first) => somebodyElse.has(first) },
  {
    text: () => message('doctorAdvice.killAgain'),
    uselessFor: (_at, first) => first === 'leftover_process_unkillable',
  },
  {
    text: () => message('doctorAdvice.raiseTimeout'),
    uselessFor: (at, first) =>
      causeKinds[first] === 'nccl' && first !== 'nccl_buffers_oom' && !told(at, 'P-1EB'),
  },
  {
    text: () => message('doctorAdvice.accumulationSteps'),
    uselessFor: (_at, first) => evaluation.has(first),
  },
  {
    text: () => message('doctorAdvice.preallocate'),
    uselessFor: (at) => family(at, 'JAX', 'TF'),
  },
  { text: () => message('doctorAdvice.watermark'), uselessFor: (at) => family(at, 'MPS') },
  {
    text: () => message('doctorAdvice.sharedGpuMemory'),
    uselessFor: (_at, first) => first === 'wddm_sysmem_fallback',
  },
  {
    text: () => message('doctorAdvice.offloadToRam'),
    uselessFor: (_at, first) => causeKinds[first] === 'host-oom',
  },
  {
    text: () => message('doctorAdvice.moreWorkers'),
    uselessFor: (_at, first) => first === 'host_ram' || first === 'windows_commit_limit',
  },
  { text: () => message('doctorAdvice.ulimitForShm'), uselessFor: (_at, first) => first === 'shm_small' },
  {
    text: () => message('doctorAdvice.shmForMappedFile'),
    uselessFor: (_at, first) => first === 'bus_error_mmap',
  },
  { text: () => message('doctorAdvice.openFilesForShm'), uselessFor: (_at, first) => first === 'fd_limit' },
  { text: () => message('doctorAdvice.shmForTriton'), uselessFor: (_at, first) => first === 'triton_smem' },
  {
    text: () => message('doctorAdvice.restartOnly'),
    uselessFor: (_at, first) => first === 'ecc' || first === 'driver_mismatch',
  },
];

/** What does not help here; empty where no cause could be named. */
export function notHelpfulFor(at: CaseInLog, causes: readonly Cause[]): Message[] {
  const first = causes[0]?.cause;
  if (first === undefined) return [];
  return advice.filter((item) => item.uselessFor(at, first, causes)).map((item) => item.text(at));
}
