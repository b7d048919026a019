import { message, type Message } from '../../i18n/message';
import type { CaseInLog } from '../case';
import type { CauseTag } from '../causes';
import { family, has, numberDetail, told } from '../rules/rule';
import {
  checkpointing,
  endHolder,
  evalBatch,
  fewerWorkers,
  findHolder,
  fused,
  growOnDemand,
  hostMemory,
  leaveSelf,
  mapLocation,
  microBatch,
  noGrad,
  otherCard,
  pageFile,
  pinLess,
  plan,
  quantised,
  readXid,
  reduce,
  resetCard,
  roomForLibrary,
  segments,
  setDevice,
  staleJobs,
  utilization,
} from './steps';

type Fixes = (at: CaseInLog) => readonly (Message | null)[];

/** What to change for a cause, the most useful first, with the values of this failure. */
export function fixesFor(cause: CauseTag, at: CaseInLog): Message[] {
  return fixes[cause](at).filter((fix) => fix !== null);
}

const holder: Fixes = (at) => [leaveSelf(at), findHolder, staleJobs, endHolder, otherCard(at)];
const emptyCard: Fixes = (at) => [microBatch, checkpointing, message('doctorFixes.shorterInput'), plan(at)];
const refused: Fixes = (at) => [hostMemory, pageFile(at), fewerWorkers];

const oneCardEach = [
  setDevice,
  message('doctorFixes.oneRankACard', { setting: 'torchrun --nproc_per_node=gpu train.py' }),
  message('doctorFixes.unsetVisibleDevices', { setting: 'echo $CUDA_VISIBLE_DEVICES; nvidia-smi -L' }),
];

const shardedCheckpoint = message('doctorFixes.shardedCheckpoint', {
  setting: 'torch.distributed.checkpoint.save(state, checkpoint_id=folder)',
});
const lowCpuMemory = message('doctorFixes.lowCpuMemory', {
  setting: 'from_pretrained(…, low_cpu_mem_usage=True)',
});

/** What takes most main memory while the job does what it did last. */
function whileKilled(at: CaseInLog): readonly Message[] {
  const { progress } = at.it;
  if (has(at, 'loadWords', 'loadFrame') || progress?.phase === 'loading') return [lowCpuMemory, fewerWorkers];
  const isAtEnd = progress !== null && progress.done === progress.total;
  if (has(at, 'saveWords', 'saveFrame') || isAtEnd) return [shardedCheckpoint, fewerWorkers, lowCpuMemory];
  return [fewerWorkers, lowCpuMemory];
}

const fixes: Readonly<Record<CauseTag, Fixes>> = {
  too_small_card_or_batch: (at) =>
    has(at, 'loadFrame', 'loadWords', 'moveModelFrame')
      ? [quantised, plan(at)]
      : [...emptyCard(at), quantised],
  batch_too_large: emptyCard,
  fragmentation: (at) => [
    segments(at),
    message('doctorFixes.largestFirst'),
    at.it.details['repeated'] === undefined && !has(at, 'workerWords')
      ? null
      : message('doctorFixes.dropOldTensors', { setting: 'del outputs; gc.collect()' }),
    plan(at),
  ],
  single_huge_tensor: (at) => [
    message('doctorFixes.smallerTensor'),
    fused,
    at.it.story === 'host-oom' ? message('doctorFixes.mapData') : plan(at),
  ],
  attention_math_fallback: (at) => [
    fused,
    message('doctorFixes.fusedAttentionFits'),
    message('doctorFixes.smallerTensor'),
    plan(at),
  ],
  logits_peak: (at) => [
    message('doctorFixes.chunkedLoss', {
      setting: 'torch.utils.checkpoint.checkpoint(loss_of_chunk, hidden, labels, use_reentrant=False)',
    }),
    message('doctorFixes.logitsOnlyNeeded', { setting: 'model(…, logits_to_keep=…)' }),
    microBatch,
    plan(at),
  ],
  custom_loss_extra_logits: () => [
    message('doctorFixes.oneSetOfLogits', {
      setting: 'outputs = model(**inputs); loss = criterion(outputs.logits, labels)',
    }),
    message('doctorFixes.chunkedLoss', {
      setting: 'F.cross_entropy(logits_chunk, labels_chunk, reduction="sum")',
    }),
    microBatch,
  ],
  long_sample_spike: (at) => [
    message('doctorFixes.limitLength', { setting: 'tokenizer(…, truncation=True, max_length=…)' }),
    message('doctorFixes.groupByLength', { setting: 'TrainingArguments(group_by_length=True)' }),
    message('doctorFixes.batchByTokens'),
    segments(at),
  ],
  dense_sample_spike: () => [
    message('doctorFixes.limitInstances', { setting: 'MaxIoUAssigner(gpu_assign_thr=200)' }),
    microBatch,
  ],
  optimizer_state_first_step: (at) => [
    message('doctorFixes.eightBitOptimizer', {
      setting: 'bitsandbytes.optim.AdamW8bit(model.parameters(), lr=…)',
    }),
    message('doctorFixes.shardOptimizer', {
      setting: 'ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=…)',
    }),
    plan(at),
  ],
  optimizer_step_peak: (at) => [
    message('doctorFixes.noForeach', { setting: 'torch.optim.AdamW(…, foreach=False)' }),
    message('doctorFixes.shardOptimizer', {
      setting: 'ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=…)',
    }),
    plan(at),
  ],
  replicated_model_per_rank: (at) => [
    message('doctorFixes.shardModel', { setting: '"zero_optimization": {"stage": 3}' }),
    quantised,
    plan(at),
  ],
  resume_double_state: () => [
    mapLocation,
    message('doctorFixes.loadThenFree', {
      setting: 'optimizer.load_state_dict(state["optimizer"]); del state',
    }),
  ],
  checkpoint_save_gather: () => [
    shardedCheckpoint,
    message('doctorFixes.gatherOnCpu', {
      setting: 'FullStateDictConfig(offload_to_cpu=True, rank0_only=True)',
    }),
  ],
  warmup_peak: (at) => [
    utilization(at),
    message('doctorFixes.fewerSequences', { setting: '--max-num-seqs 64' }),
    message('doctorFixes.shorterModelLength', { setting: '--max-model-len 8192' }),
  ],
  context_overhead: (at) => [utilization(at), findHolder],
  eval_without_no_grad: () => [noGrad, reduce, evalBatch],
  eval_peak: () => [evalBatch, message('doctorFixes.cropEvaluation'), noGrad],
  eval_logits_accumulation: () => [reduce, noGrad],
  leak_graph_retained: () => [message('doctorFixes.detachLoss', { setting: 'total += loss.item()' }), reduce],
  other_process: holder,
  leftover_process: holder,
  leftover_process_unkillable: (at) => [
    message('doctorFixes.rebootForUnkillable', {
      setting: `sudo cat /proc/${at.it.details['pid'] ?? 'PID'}/stack`,
    }),
    otherCard(at),
  ],
  sibling_process_same_job: (at) => [
    leaveSelf(at),
    message('doctorFixes.shareCard', { setting: '--gpu-memory-utilization 0.4' }),
    findHolder,
  ],
  all_ranks_on_gpu0: () => [setDevice, mapLocation],
  stray_context_gpu0: () => [setDevice, mapLocation],
  ipc_mapping_holder: () => [message('doctorFixes.restartHelper'), findHolder],
  desktop_holds_vram: (at) => [message('doctorFixes.closeDesktop'), findHolder, microBatch, plan(at)],
  dataparallel_gather: (at) => [
    message('doctorFixes.distributedDataParallel', { setting: 'torchrun --nproc_per_node=… train.py' }),
    microBatch,
    plan(at),
  ],
  free_gt_request: refused,
  host_ram_masked: refused,
  windows_commit_limit: () => [message('doctorFixes.largerPageFile'), fewerWorkers, pinLess],
  per_allocation_limit: () => [
    message('doctorFixes.relaxAllocationLimit', { setting: 'UR_L0_ENABLE_RELAXED_ALLOCATION_LIMITS=1' }),
    message('doctorFixes.splitBuffer'),
  ],
  capacity_misreported: () => [
    message('doctorFixes.checkCarveOut', { setting: 'rocminfo | grep -A3 "Pool"' }),
  ],
  memory_fraction_cap: (at) => [
    message('doctorFixes.liftFraction', { setting: 'torch.cuda.set_per_process_memory_fraction(1.0)' }),
    microBatch,
    plan(at),
  ],
  wddm_sysmem_fallback: (at) => [...emptyCard(at), message('doctorFixes.noSysmemFallback')],
  mps_other_allocations: () => [message('doctorFixes.freeUnifiedMemory'), microBatch],
  driver_level_oom: (at) => [
    told(at, 'CUDA-error-vllm-pool') ? utilization(at) : null,
    message('doctorFixes.findFirstCall', { setting: 'CUDA_LAUNCH_BLOCKING=1' }),
    message('doctorFixes.watchCard', { setting: 'nvidia-smi -l 1' }),
    pinLess,
  ],
  pinned_memory: () => [
    pinLess,
    fewerWorkers,
    message('doctorFixes.raiseLockedLimit', { setting: 'ulimit -l unlimited' }),
  ],
  bnb_managed_memory: () => [
    message('doctorFixes.plainOptimizer', { setting: 'TrainingArguments(optim="adamw_bnb_8bit")' }),
    hostMemory,
  ],
  masked_cublas: (at) => [roomForLibrary, findHolder, family(at, 'TF') ? growOnDemand : null],
  masked_cudnn: (at) => [roomForLibrary, findHolder, family(at, 'TF') ? growOnDemand : null],
  masked_nvml_mig: (at) => [message('doctorFixes.countOnSlice'), microBatch, plan(at)],
  wrong_device: (at) =>
    told(at, 'nccl-duplicate-gpu')
      ? oneCardEach
      : [
          message('doctorFixes.nameSlice', { setting: 'CUDA_VISIBLE_DEVICES=MIG-…' }),
          message('doctorFixes.unsetVisibleDevices', {
            setting: 'echo $CUDA_VISIBLE_DEVICES; nvidia-smi -L',
          }),
        ],
  host_ram: (at) => [
    at.it.facts.triedBytes === null
      ? null
      : message('doctorFixes.chunkHostArray', { tried: at.it.facts.triedBytes }),
    ...whileKilled(at),
    message('doctorFixes.raiseJobMemory', {
      setting: has(at, 'slurm')
        ? '#SBATCH --mem=…G'
        : has(at, 'container')
          ? 'docker run --memory=…g'
          : '--mem=…G',
    }),
    has(at, 'offload') ? message('doctorFixes.offloadToDisk') : null,
    message('doctorFixes.readKernelLog', { setting: 'sudo dmesg -T | grep -i -e "killed process" -e oom' }),
  ],
  shm_small: () => [
    message('doctorFixes.largerShm', { setting: 'docker run --shm-size=16g' }),
    message('doctorFixes.shmVolume', { setting: 'emptyDir: {medium: Memory, sizeLimit: 16Gi}' }),
    fewerWorkers,
    message('doctorFixes.cleanShm', { setting: 'ls -lh /dev/shm' }),
  ],
  bus_error_mmap: () => [message('doctorFixes.rebuildMappedFile')],
  fd_limit: () => [
    message('doctorFixes.raiseOpenFiles', { setting: 'ulimit -n 65536' }),
    message('doctorFixes.fileSystemSharing', {
      setting: 'torch.multiprocessing.set_sharing_strategy("file_system")',
    }),
    fewerWorkers,
  ],
  triton_smem: (at) => {
    const limit = numberDetail(at.it, 'limitBytes');
    const setting = 'triton.Config({…}, num_stages=2)';
    return [
      limit === null
        ? message('doctorFixes.smallerKernel', { setting })
        : message('doctorFixes.smallerKernelBlocks', { limit, setting }),
    ];
  },
  nccl_buffers_oom: () => [
    message('doctorFixes.roomForNccl', { setting: 'torch.cuda.set_per_process_memory_fraction(0.95)' }),
    microBatch,
  ],
  nccl_victim: () => [
    message('doctorFixes.findFirstRank'),
    message('doctorFixes.readOtherLog'),
    message('doctorFixes.flightRecorder', {
      setting: 'TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1',
    }),
  ],
  nccl_desync: () => [
    message('doctorFixes.evenBatches', { setting: 'DistributedSampler(…, drop_last=True)' }),
    message('doctorFixes.sameWork'),
    message('doctorFixes.flightRecorder', {
      setting: 'TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1',
    }),
  ],
  nccl_after_oom: () => [message('doctorFixes.seeFirstFailure')],
  garbage_size_after_timeout: () => [
    message('doctorFixes.seeFirstFailure'),
    message('doctorFixes.findFirstRank'),
  ],
  exclusive_mode: () => [
    message('doctorFixes.defaultComputeMode', { setting: 'sudo nvidia-smi -c DEFAULT' }),
    findHolder,
  ],
  xid_79: () => [message('doctorFixes.checkPower'), readXid],
  gpu_lost: (at) => [readXid, resetCard(at), message('doctorFixes.checkPower')],
  ecc: (at) => [
    resetCard(at),
    message('doctorFixes.retireCard', { setting: 'nvidia-smi -q -d ECC,ROW_REMAPPER' }),
  ],
  driver_mismatch: () => [message('doctorFixes.rebootDriver')],
};
