/** What to change for a cause. `{setting}` is a text to copy: a line of code, an environment variable, a command. */
export const doctorFixes = {
  // Less in one step.
  smallerMicroBatch:
    'Halve the micro-batch and double gradient accumulation, so that training stays the same: {setting}',
  checkpointing: 'Recompute activations instead of keeping them: {setting}',
  shorterInput: 'Shorten the sequence or lower the resolution; activations shrink with it.',
  planCard:
    'Open the plan with a card of {capacity:bytes}: it lists what fits, per strategy, with the largest batch.',
  planAny: 'Open the plan with your card: it lists what fits, per strategy, with the largest batch.',
  loadQuantised: 'Load the weights in 4 bit, or spread them over the cards: {setting}',
  // Allocator.
  expandableSegments: 'Let the allocator grow its segments; set it before the program starts: {setting}',
  maxSplitSize: 'Keep the allocator from splitting large blocks; set it before the program starts: {setting}',
  largestFirst: 'Run the largest batch first, or pad to a few fixed lengths, so that freed blocks fit again.',
  dropOldTensors:
    'After a caught failure, delete what the traceback still holds before the next try: {setting}',
  liftFraction: 'Raise or remove the limit that the program sets: {setting}',
  // One tensor.
  fusedAttention: 'Use a fused attention kernel: {setting}',
  fusedAttentionFits:
    'Check that it can serve: half precision, a supported head size, no dense mask of its own.',
  smallerTensor:
    'Make the one tensor smaller: tile or crop the input, cut the sequence, or process it in chunks.',
  chunkedLoss:
    'Compute the loss in chunks of the sequence, or with a fused linear and cross-entropy kernel: {setting}',
  logitsOnlyNeeded: 'Compute logits only where a label is: {setting}',
  oneSetOfLogits:
    'Compute the loss from the logits the model already returned; detach what is only logged: {setting}',
  // Rare batches.
  limitLength: 'Cut or drop the longest samples: {setting}',
  groupByLength: 'Let the longest batches come first, so that it fails in the first minute: {setting}',
  batchByTokens: 'Fill batches by tokens instead of by samples.',
  limitInstances: 'Limit the instances per image, or match them on the CPU: {setting}',
  // Optimizer.
  eightBitOptimizer: 'Keep the optimizer state in 8 bit: {setting}',
  shardOptimizer: 'Shard the optimizer state over the ranks (ZeRO-1 or FSDP): {setting}',
  noForeach: 'Step through the parameters one by one; slower, without the temporary copies: {setting}',
  // Many ranks.
  shardModel:
    'Give each rank a shard instead of a copy: FSDP or ZeRO-3, with the weights made on the meta device: {setting}',
  oneRankACard: 'Start no more ranks than there are cards, and give each rank its own: {setting}',
  setDevice: 'Bind each rank to its card before anything touches CUDA: {setting}',
  mapLocation: 'Load checkpoints to host memory: {setting}',
  distributedDataParallel:
    'Replace nn.DataParallel by DistributedDataParallel, one process a card: {setting}',
  // Resume and save.
  loadThenFree: 'Load the state to host memory, load it into the model, then delete it: {setting}',
  shardedCheckpoint: 'Save shards instead of one gathered state: {setting}',
  gatherOnCpu: 'Gather the full state on the CPU: {setting}',
  // Evaluation.
  noGrad: 'Put the evaluation loop under no_grad: {setting}',
  smallerEvalBatch: 'Use a smaller batch for evaluation: {setting}',
  cropEvaluation: 'Limit the image or sequence size of evaluation as in training.',
  reducePredictions: 'Keep only what the metric needs of each step, on the CPU: {setting}',
  detachLoss: 'Store numbers, not tensors: {setting}',
  // Others on the card.
  findHolder: 'See who is on the card, with the user and start time: {setting}',
  endHolder: 'End the process you recognise as yours: SIGTERM first, only its own number.',
  leaveSelf: 'Leave process {pid} alone: it is this job.',
  otherCard: 'Take another card: {setting}',
  staleJobs: 'Let Headroom show the stale jobs on this machine; it ends only those you confirm: {setting}',
  shareCard: 'Give each worker of the job its share of the card, or a card of its own: {setting}',
  restartHelper: 'Restart the cache or sharing server, which lets go of the dead client’s memory.',
  closeDesktop: 'Close browsers and other screen programs, or drive the screen with another card.',
  rebootForUnkillable:
    'Signals do not reach it. Save its kernel stack for the administrator, then reset the card or reboot: {setting}',
  // Serving.
  lowerUtilization: 'Leave more of the card free: {setting}',
  fewerSequences: 'Lower the number of requests handled at once: {setting}',
  shorterModelLength: 'Lower the longest request: {setting}',
  // Refusals.
  checkHostMemory: 'Look at host memory and swap while it starts: {setting}',
  largerPageFile:
    'Enlarge the page file (System, Advanced, Performance, Virtual memory) to at least 1.5 times RAM.',
  fewerWorkers: 'Start fewer data-loading workers: {setting}',
  relaxAllocationLimit: 'Allow larger single buffers, where the driver can: {setting}',
  splitBuffer: 'Split the tensor into parts below 4 GiB.',
  checkCarveOut:
    'Compare what the runtime sees with what the driver reports, and update the runtime: {setting}',
  noSysmemFallback:
    'In the NVIDIA control panel set “CUDA - Sysmem Fallback Policy” to “Prefer No Sysmem Fallback”: it then fails early instead of crawling.',
  freeUnifiedMemory: 'Close other programs: the memory is shared with the system.',
  // Without numbers.
  findFirstCall: 'Find the call that fails: {setting}',
  watchCard: 'Watch the card while it starts, to see whether it was full before: {setting}',
  pinLess: 'Turn page-locking off, or lower workers and prefetch: {setting}',
  raiseLockedLimit: 'Raise the limit of locked memory: {setting}',
  plainOptimizer: 'Use an optimizer that is not paged: {setting}',
  leaveRoomForLibrary:
    'Leave half a GiB free for the library: a smaller batch, or a limit on the allocator: {setting}',
  growOnDemand: 'If the framework took the card itself, leave a part: {setting}',
  nameSlice: 'Name the slice that was assigned: {setting}',
  countOnSlice: 'Count with the slice’s memory, not the card’s: it is a plain out of memory.',
  // Main memory.
  raiseJobMemory: 'Ask for more host memory for the job: {setting}',
  readKernelLog: 'Make sure that it was memory: {setting}',
  lowCpuMemory: 'Do not build the whole model in host memory on every rank: {setting}',
  offloadToDisk: 'If states are offloaded, keep them on the card or send them to NVMe.',
  mapData: 'Read data through a memory map or as a stream instead of loading it whole.',
  chunkHostArray: 'Build the array in pieces: the single request is {tried:bytes}.',
  // Shared memory and files.
  largerShm: 'Give the container more shared memory: {setting}',
  shmVolume: 'In Kubernetes mount memory on /dev/shm: {setting}',
  cleanShm: 'Look for segments that dead jobs left: {setting}',
  rebuildMappedFile: 'Check the mapped file and its disk: size, free space, a network mount that went away.',
  raiseOpenFiles: 'Raise the limit of open files: {setting}',
  fileSystemSharing: 'Pass tensors by file name instead of by descriptor: {setting}',
  smallerKernelBlocks:
    'Lower the kernel’s block sizes or stages until it needs at most {limit:bytes}: {setting}',
  smallerKernel: 'Lower the kernel’s block sizes, warps or stages: {setting}',
  // Collectives.
  roomForNccl:
    'Leave 0.5 to 1 GiB a card outside PyTorch’s pool, and make the communicator before the card is full: {setting}',
  findFirstRank:
    'Look for the rank that prints no timeout, or whose first line is another error; its log has the cause.',
  readOtherLog: 'Read the log of the other end: the one that went away.',
  evenBatches: 'Give every rank the same number of batches: {setting}',
  sameWork: 'Let every rank come to each collective; work of rank 0 alone must not hold a barrier.',
  flightRecorder: 'Record which collective each rank is in: {setting}',
  seeFirstFailure: 'Settle the first failure; this one goes with it.',
  // Card and driver.
  checkPower: 'Check power cables, temperature and seat of the card; then power the machine off and on.',
  readXid: 'Read the driver’s log around the time: {setting}',
  resetCard: 'With no process on it, reset the card as administrator: {setting}',
  retireCard: 'Run the memory test; a card that does it again has to be replaced: {setting}',
  defaultComputeMode: 'Set the compute mode back: {setting}',
  rebootDriver: 'Reboot, so that library and kernel module match; keep driver updates out of running nodes.',
  unsetVisibleDevices: 'Check which cards the program may see: {setting}',
} as const;
