/** Advice often given for such messages that does not help in this case, and why. */
export const doctorAdvice = {
  allocatorSettings:
    'Allocator settings (expandable_segments, max_split_size_mb): PyTorch prints this hint with every message; here there is nothing for them to win.',
  allocatorSettingsHuge:
    'Allocator settings: no way of cutting the memory makes room for one piece of this size.',
  emptyCache:
    'torch.cuda.empty_cache(): it gives back unused reserve only, not live tensors and not what another process holds.',
  smallerBatchNotReached: 'A smaller batch: it failed before any batch was reached.',
  smallerBatchForeign: 'A smaller batch: what is missing is held by somebody else.',
  smallerBatchRefused: 'A smaller batch: the card had room for this one.',
  smallerBatchNotMemory: 'A smaller batch or a larger card: this is not about the card’s memory.',
  fewerEpochs: 'Fewer epochs: memory does not add up over epochs unless something leaks.',
  raiseTimeout: 'A longer NCCL timeout: the rank that is waited for will not come.',
  killByName:
    'Ending all Python processes by name (pkill, killall): it takes other jobs and other people’s work with it.',
  fuserKill: 'fuser -k /dev/nvidia*: it ends the desktop too.',
  killAgain: 'Another kill -9: a process inside the kernel does not see it.',
  shmForTriton: '--shm-size or /dev/shm: the shared memory meant here is on the chip.',
  ulimitForShm: 'ulimit: /dev/shm has its own size.',
  shmForMappedFile: 'A larger /dev/shm: it is not what ran out if a mapped file is broken.',
  offloadToRam: 'Offloading to the CPU: host memory is what ran out.',
  moreWorkers: 'More data-loading workers: each takes host memory of its own.',
  accumulationSteps: 'eval_accumulation_steps alone: it moves the pile from the card to host memory.',
  preallocate:
    'Turning preallocation off (XLA_PYTHON_CLIENT_PREALLOCATE, allow_growth): it shows when memory is taken, it does not add any.',
  killSelf: 'Ending process {pid}: it is this job itself, seen from outside its container.',
  watermark: 'PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0: it can take the whole machine down.',
  sharedGpuMemory: 'Counting “shared GPU memory” as room: it is host memory, and slow.',
  openFilesForShm: 'A larger /dev/shm: the limit of open files was reached.',
  restartOnly: 'Starting again as it is: it will fail at the same place.',
} as const;
