/** What to change for a cause, without a full stop: a line to copy (code, a variable, a command) may follow. */
export const doctorFixes = {
  // Less in one step.
  smallerMicroBatch:
    'Halve the micro-batch and double gradient accumulation, so that training stays the same',
  checkpointing: 'Recompute activations instead of keeping them',
  shorterInput: 'Shorten the sequence or lower the resolution; activations shrink with it',
  loadQuantised: 'Load the weights in 4 bit, or spread them over the cards',
  // Allocator.
  expandableSegments: 'Let the allocator grow its segments; set it before the program starts',
  maxSplitSize: 'Keep the allocator from splitting large blocks; set it before the program starts',
  largestFirst: 'Run the largest batch first, or pad to a few fixed lengths, so that freed blocks fit again',
  dropOldTensors: 'After a caught failure, delete what the traceback still holds before the next try',
  liftFraction: 'Raise or remove the limit that the program sets',
  // One tensor.
  fusedAttention: 'Use a fused attention kernel',
  fusedAttentionFits:
    'Check that it can serve: half precision, a supported head size, no dense mask of its own',
  smallerTensor:
    'Make the one tensor smaller: tile or crop the input, cut the sequence, or process it in chunks',
  chunkedLoss: 'Compute the loss in chunks of the sequence, or with a fused linear and cross-entropy kernel',
  logitsOnlyNeeded: 'Compute logits only where a label is',
  oneSetOfLogits: 'Compute the loss from the logits the model already returned; detach what is only logged',
  // Rare batches.
  limitLength: 'Cut or drop the longest samples',
  groupByLength: 'Let the longest batches come first, so that it fails in the first minute',
  batchByTokens: 'Fill batches by tokens instead of by samples',
  limitInstances: 'Limit the instances per image, or match them on the CPU',
  // Optimizer.
  eightBitOptimizer: 'Keep the optimizer state in 8 bit',
  shardOptimizer: 'Shard the optimizer state over the ranks (ZeRO-1 or FSDP)',
  noForeach: 'Step through the parameters one by one; slower, without the temporary copies',
  // Many ranks.
  shardModel:
    'Give each rank a shard instead of a copy: FSDP or ZeRO-3, with the weights made on the meta device',
  oneRankACard: 'Start no more ranks than there are cards, and give each rank its own',
  setDevice: 'Bind each rank to its card before anything touches CUDA',
  mapLocation: 'Load checkpoints to host memory',
  distributedDataParallel: 'Replace nn.DataParallel by DistributedDataParallel, one process a card',
  // Resume and save.
  loadThenFree: 'Load the state to host memory, load it into the model, then delete it',
  shardedCheckpoint: 'Save shards instead of one gathered state',
  gatherOnCpu: 'Gather the full state on the CPU',
  // Evaluation.
  noGrad: 'Put the evaluation loop under no_grad',
  smallerEvalBatch: 'Use a smaller batch for evaluation',
  cropEvaluation: 'Limit the image or sequence size of evaluation as in training',
  reducePredictions: 'Keep only what the metric needs of each step, on the CPU',
  detachLoss: 'Store numbers, not tensors',
  // Others on the card.
  findHolder: 'See who is on the card, with the user and start time',
  endHolder: 'End the process you recognise as yours: SIGTERM first, only its own number',
  leaveSelf: 'Leave process {pid} alone: it is this job',
  otherCard: 'Take another card',
  staleJobs: 'Let Headroom show the stale jobs on this machine; it ends only those you confirm',
  shareCard: 'Give each worker of the job its share of the card, or a card of its own',
  restartHelper: 'Restart the cache or sharing server, which lets go of the dead client’s memory',
  closeDesktop: 'Close browsers and other screen programs, or drive the screen with another card',
  rebootForUnkillable:
    'Signals do not reach it. Save its kernel stack for the administrator, then reset the card or reboot',
  // Serving.
  lowerUtilization: 'Leave more of the card free',
  fewerSequences: 'Lower the number of requests handled at once',
  shorterModelLength: 'Lower the longest request',
  // Refusals.
  checkHostMemory: 'Look at host memory and swap while it starts',
  largerPageFile:
    'Enlarge the page file (System, Advanced, Performance, Virtual memory) to at least 1.5 times RAM',
  fewerCompilers: 'Compile with fewer processes at once, as each takes some GB',
  fewerWorkers: 'Start fewer data-loading workers',
  relaxAllocationLimit: 'Allow larger single buffers, where the driver can',
  splitBuffer: 'Split the tensor into parts below 4 GiB',
  checkCarveOut: 'Compare what the runtime sees with what the driver reports, and update the runtime',
  noSysmemFallback:
    'In the NVIDIA control panel set “CUDA - Sysmem Fallback Policy” to “Prefer No Sysmem Fallback”: it then fails early instead of crawling',
  freeUnifiedMemory: 'Close other programs: the memory is shared with the system',
  // Without numbers.
  findFirstCall: 'Find the call that fails',
  watchCard: 'Watch the card while it starts, to see whether it was full before',
  pinLess: 'Turn page-locking off, or lower workers and prefetch',
  raiseLockedLimit: 'Raise the limit of locked memory',
  plainOptimizer: 'Use an optimizer that is not paged',
  leaveRoomForLibrary: 'Leave half a GiB free for the library: a smaller batch, or a limit on the allocator',
  nameSlice: 'Name the slice that was assigned',
  countOnSlice: 'Count with the slice’s memory, not the card’s: it is a plain out of memory',
  // Main memory.
  raiseJobMemory: 'Ask for more host memory for the job',
  readKernelLog: 'Make sure that it was memory',
  lowCpuMemory: 'Do not build the whole model in host memory on every rank',
  offloadToDisk: 'If states are offloaded, keep them on the card or send them to NVMe',
  mapData: 'Read data through a memory map or as a stream instead of loading it whole',
  chunkHostArray: 'Build the array in pieces: the single request is {tried:bytes}',
  // Shared memory and files.
  largerShm: 'Give the container more shared memory',
  cleanShm: 'Look for segments that dead jobs left',
  rebuildMappedFile: 'Check the mapped file and its disk: size, free space, a network mount that went away',
  raiseOpenFiles: 'Raise the limit of open files',
  fileSystemSharing: 'Pass tensors by file name instead of by descriptor',
  smallerKernelBlocks: 'Lower the kernel’s block sizes or stages until it needs at most {limit:bytes}',
  smallerKernel: 'Lower the kernel’s block sizes, warps or stages',
  // Collectives.
  roomForNccl:
    'Leave 0.5 to 1 GiB a card outside PyTorch’s pool, and make the communicator before the card is full',
  findFirstRank:
    'Look for the rank that prints no timeout, or whose first line is another error; its log has the cause',
  readOtherLog: 'Read the log of the other end: the one that went away',
  evenBatches: 'Give every rank the same number of batches',
  sameWork: 'Let every rank come to each collective; work of rank 0 alone must not hold a barrier',
  flightRecorder: 'Record which collective each rank is in',
  seeFirstFailure: 'Settle the first failure; this one goes with it',
  // Card and driver.
  checkPower: 'Check power cables, temperature and seat of the card; then power the machine off and on',
  readXid: 'Read the driver’s log around the time',
  resetCard: 'With no process on it, reset the card as administrator',
  retireCard: 'Run the memory test; a card that does it again has to be replaced',
  defaultComputeMode: 'Set the compute mode back',
  rebootDriver: 'Reboot, so that library and kernel module match; keep driver updates out of running nodes',
  unsetVisibleDevices: 'Check which cards the program may see',
  // In the words of a program or a place.
  plan: 'See which strategies fit, with the largest batch of each; run it where the model’s config.json is',
  smallerCacheType: 'Keep the KV cache in 8 bit',
  offloadWeights: 'Keep part of the weights in host memory; slower, but it runs',
  spreadOverCards: 'Spread the model over more cards',
  smallerModel: 'Take a smaller or more strongly quantised model',
  lowMemoryMode: 'Turn on the program’s low-memory mode',
  smallerImage: 'Make smaller images, fewer frames, or one at a time',
  tiledDecoding: 'Decode in tiles',
  raiseUtilization: 'If nothing else runs on the card, give the engine a larger share of it',
  dataStream: 'Feed the data in batches instead of copying the whole array to the card',
  wiredLimit: 'Let the GPU use more of the unified memory, leaving 8 GiB for the system',
  activityMonitor: 'Open Activity Monitor (Memory) and close what uses most of the unified memory',
  highRamRuntime: 'Choose a high-RAM runtime (Runtime, Change runtime type), or load less at once',
  closePrograms: 'Close other programs that use much memory, or load a smaller model',
  bucketView: 'Let the gradients lie in the buckets instead of beside them',
  trainFewer: 'Train fewer parameters: adapters (LoRA) or frozen layers need no gradient buckets',
  sameTensors:
    'Find why the ranks reduce different tensors: a branch that only some ranks take, unused parameters, uneven last batches',
  normWithoutForeach: 'Compute the norm parameter by parameter, without the temporary copies',
  startClean: 'Check the size that was asked for: a broken length, shape or index makes such a request',
} as const;
