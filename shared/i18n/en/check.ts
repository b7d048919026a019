/** The script check: what each rule finds and why it matters. */
export const check = {
  wholeDataset: 'The whole data set is moved to the card.',
  wholeDatasetWhy:
    'It takes card memory from the first to the last step, on every rank. Only the batch at work has to be there.',
  cudaInDataset: 'A data set moves its samples to the card.',
  cudaInDatasetWhy:
    'Loader workers would each open a CUDA context, which fails after a fork and keeps memory of every worker on the card.',
  noPinnedMemory: 'The loader does not pin its batches.',
  noPinnedMemoryWhy:
    'Copies from pageable memory go through a second buffer and cannot run beside the computation.',
  noWorkers: 'The loader has no worker processes.',
  noWorkersWhy: 'Reading and preparing data then waits for the card and the card for the data.',
  blockingCopy: 'A pinned batch is copied in blocking mode.',
  blockingCopyWhy: 'Without non_blocking the pinned memory brings nothing: the program waits for each copy.',
  noSampler: 'Every rank reads the whole data set.',
  noSamplerWhy:
    'Without a DistributedSampler all ranks train on the same batches: more cards, the same progress.',
  noSetEpoch: 'The sampler is never told the epoch.',
  noSetEpochWhy: 'Without set_epoch every epoch has the same order of samples.',

  lossesKeepGraph: 'Losses are kept together with their graph.',
  lossesKeepGraphWhy:
    'Each kept loss holds the graph of its step with all its activations: memory grows until it runs out.',
  outputsKeepGraph: 'Model outputs are kept with their graph, on the card.',
  outputsKeepGraphWhy: 'Each one holds the activations of its forward. Detach them and move them to the CPU.',
  noNoGrad: 'Evaluation runs with gradients on.',
  noNoGradWhy:
    'All activations are kept for a backward that never comes; evaluation then needs as much memory as training.',
  evalLoop: 'After model.eval() the model runs with gradients on.',
  noZeroGrad: 'Gradients are never set back.',
  noZeroGradWhy: 'Each step adds to the gradients of all steps before.',
  retainGraph: 'The graph is kept after backward in a loop.',
  retainGraphWhy:
    'The activations of the step stay until the loss is freed; with several losses the peak grows.',

  dataParallel: 'nn.DataParallel drives all cards from one process.',
  dataParallelWhy:
    'The first card also holds gradients, optimizer state and all outputs and fills first, and the model is copied anew in every step.',
  noSetDevice: 'No rank chooses its card.',
  noSetDeviceWhy: 'Without set_device every rank opens a context on card 0 and may put its tensors there.',
  noDestroy: 'The process group is never destroyed.',
  noDestroyWhy: 'When one rank fails the others wait in NCCL and keep their cards until a time-out or kill.',
  noMapLocation: 'torch.load puts tensors back on the card they were saved from.',
  noMapLocationWhy:
    'Saved by rank 0, they all land on card 0, of every rank; on a resume they stand beside the live weights.',
  saveEveryRank: 'Every rank writes the same file.',
  saveEveryRankWhy: 'The ranks overwrite each other, and a file can end up half of each.',
  collectiveOnOneRank: 'A collective is called by some ranks only.',
  collectiveOnOneRankWhy:
    'The others never join it: the ranks that called it hang until the watchdog ends them.',
  optimizerBeforeSharding: 'The optimizer is made before the model is sharded.',
  optimizerBeforeShardingWhy:
    'It holds the unsharded parameters: they stay in memory, and the sharded ones are never updated.',
  deviceMapAuto: 'Each rank spreads the model over all cards.',
  deviceMapAutoWhy: 'device_map="auto" is for one process. With ranks every card gets a part of every copy.',
  roundRobin: 'Layers are dealt out to the cards in turn.',
  roundRobinWhy:
    'Every layer then hands its activations to another card. Neighbouring layers on one card cross only once a card.',
  fixedPort: 'The rendezvous port is fixed.',
  fixedPortWhy:
    'A second job on this machine, or a stale process of the first, makes the start fail with "address already in use".',
  unusedParameters: 'DDP searches for unused parameters in every step.',
  unusedParametersWhy:
    'It walks the whole graph after each forward. It is needed only where parts of the model really stay unused.',
  fork: 'Processes are forked although CUDA is used.',
  forkWhy:
    'A CUDA context does not survive a fork: the child fails, or keeps the memory of its parent on the card.',

  emptyCache: 'empty_cache is called in a loop.',
  emptyCacheWhy:
    'It cannot free what is still referenced; it makes the next step ask the driver for every block again.',
  reentrant: 'checkpoint is called without use_reentrant.',
  reentrantWhy:
    'The default is the old form, which keeps more and fails with frozen inputs; later versions refuse the call.',
  hiddenStates: 'All hidden states or attentions are returned while training.',
  hiddenStatesWhy: 'Every layer’s output, or its attention matrix, then lives until the loss is freed.',
  useCache: 'The key-value cache is on while training.',
  useCacheWhy:
    'Keys and values of every layer are kept although nothing is generated, and checkpointing switches itself off.',

  cudaAmp: 'torch.cuda.amp is deprecated.',
  cudaAmpWhy: 'torch.amp takes its place; the old names warn and will go.',
  noScaler: 'float16 without a GradScaler.',
  noScalerWhy: 'Small gradients become 0 in float16 and the model stops learning. bfloat16 needs no scaler.',
  clipScaled: 'Gradients are clipped while they are still scaled.',
  clipScaledWhy:
    'The norm is that of the scaled gradients, so nearly every step is clipped to almost nothing.',

  notImported: 'The name {name} is used but never imported or given a value.',
  notImportedWhy: 'The script fails with a NameError when it gets there, perhaps after hours.',

  offloadOutsideZero: '{key} stands outside of zero_optimization.',
  offloadOutsideZeroWhy: 'DeepSpeed reads it only there and ignores it elsewhere: nothing is offloaded.',
  bothHalves: 'fp16 and bf16 are both switched on.',
  bothHalvesWhy: 'DeepSpeed refuses to start with both.',
  offloadWithoutStage: 'Offloading needs a ZeRO stage that can do it.',
  offloadWithoutStageWhy: 'The optimizer can be offloaded from stage 1 on, parameters only in stage 3.',
  batchSizesDisagree: 'The batch sizes do not fit each other.',
  batchSizesDisagreeWhy:
    'train_batch_size must be micro-batch × accumulation × ranks, so it must be a multiple of the first two.',

  killByName: 'Processes are killed by a name.',
  killByNameWhy:
    'It also ends healthy runs, other people’s jobs and whatever else matches. Headroom frees exactly the stale jobs.',
  oldLauncher: 'torch.distributed.launch is deprecated.',
  oldLauncherWhy:
    'torchrun takes its place, sets LOCAL_RANK in the environment and ends all ranks when one fails.',
  dockerShm: 'The container gets 64 MiB of shared memory.',
  dockerShmWhy:
    'Loader workers hand batches over through /dev/shm; they die with a bus error when it is full.',
  podShm: 'The pod gets 64 MiB of shared memory.',
  podShmWhy: 'Loader workers and NCCL use /dev/shm; without a volume for it they die with a bus error.',
  processesMismatch: '{processes} processes for {cards} cards.',
  processesMismatchWhy:
    'With more processes than cards several ranks share one; with fewer a card stays idle.',

  notJson: 'The file is cut off or not valid JSON here: nothing in it could be checked.',
  notJsonWhy: 'Whatever reads it fails at this place, too.',
  overLength: 'More than {limit} characters: longer than a file that can be checked.',
  overBrackets: 'More than {limit} brackets are open here: Python itself takes no more.',
  overIndents: 'More than {limit} blocks lie in each other here: Python itself takes no more.',
  overLevels: 'More than {limit} calls or operators in a chain here: too many to check.',
  overYamlLevels: 'More than {limit} levels lie in each other here: too many to check.',
  overAliases: 'More than {limit} anchors and aliases up to here: too many to check.',
  overLimitWhy: 'Nothing in the file was checked: reading more could take all memory of this machine.',
  notPython: 'The file is not valid Python here: what follows was checked as far as it could be read.',
  notPythonWhy: 'The parser could not make sense of this place.',
} as const;
