/** Why the doctor names a cause: one sentence a sign, built from the message's own numbers. */
export const doctorEvidence = {
  // Numbers of a card.
  requestAndFree: '{tried:bytes} was asked for while {free:bytes} was free.',
  ownTensors:
    'The tensors of this process take {allocated:bytes} of the card’s {capacity:bytes} ({share:percent}).',
  requestOverCard: 'One request of {tried:bytes} is larger than the whole card ({capacity:bytes}).',
  requestOfCard: 'One request of {tried:bytes} is {share:percent} of the card’s {capacity:bytes}.',
  littleUnallocated:
    'Only {unallocated:bytes} is reserved without being used, so the allocator’s settings have little to give back.',
  unallocatedEnough:
    '{unallocated:bytes} is reserved and not in use, enough for the {tried:bytes} that was asked for, but not in one piece.',
  unallocatedWithFree:
    '{unallocated:bytes} is reserved and not in use; with the {free:bytes} that is free it is enough for the {tried:bytes} that was asked for, but not in one piece.',
  unallocatedPart:
    '{unallocated:bytes} is reserved and not in use, part of the {tried:bytes} that was asked for.',
  outside: '{outside:bytes} of the card’s {capacity:bytes} is held outside this process.',
  outsideAtMost:
    'Up to {outside:bytes} of the card’s {capacity:bytes} is held outside this process; the text does not print what this process reserves.',
  processHolds: 'Process {pid} holds {held:bytes}.',
  selfInList:
    'Process {pid} in the list is this process itself, under its number outside the container: its {held:bytes} are its tensors and a CUDA context.',
  allowed: 'A limit of {allowed:bytes} is set for this process; the card has {capacity:bytes}.',
  spilled:
    '{allocated:bytes} of tensors on a card of {capacity:bytes}: the driver has moved the rest to host memory.',
  capacityDiffers:
    'The message sees a card of {capacity:bytes}, the driver’s own line says {installed:bytes}.',
  freeOverCapacity: 'The message says {free:bytes} free on a card of {capacity:bytes}, which cannot be.',
  driverRefused: 'The card had room, yet the driver refused: the missing memory is elsewhere.',
  looksLikeWindows:
    'The text comes from Windows, where each allocation also counts against RAM plus page file.',
  mpsOthers:
    'Other allocations of the system take {others:bytes}, tensors {allocated:bytes}, of {allowed:bytes} allowed.',
  snapshotWithHoles: 'The allocator’s map shows unused blocks between blocks in use.',
  noFrameShown: 'The text shows no stack frame, so that it is attention is likely but not certain.',
  startup: '{free:bytes} of {capacity:bytes} was free at the start, {desired:bytes} was wanted.',
  smallRequest:
    'Even {tried:bytes} could not be had; the framework takes most of the card at its start, so it was taken before.',
  // What Headroom saw itself.
  seen: 'Headroom saw it: {name} (pid {pid}) ended on card {gpuIndex} while {used:bytes} of {total:bytes} were in use.',
  seenOthers: 'At that moment other processes held {held:bytes} of the card.',
  seenOwn: 'The process itself held {held:bytes} at its last reading, {share:percent} of the card.',
  seenOwnAfter:
    'The process itself held {held:bytes} at its last reading, {share:percent} of the card, after it had run for {age:duration}.',
  seenCommand: 'Its command was: {command}',
  seenRise: 'Its memory had been rising for {since:duration}, by {slope:bytes} a second.',
  seenRiseToFull:
    'Its memory had been rising for {since:duration}, by {slope:bytes} a second; the forecast was a full card in {eta:duration}.',
  seenRankEnded: 'Rank {rank} of its job (pid {pid}) held {held:bytes} on card {gpuIndex} and ended with it.',
  seenRankGoesOn:
    'Rank {rank} of its job (pid {pid}) held {held:bytes} on card {gpuIndex} and was still there.',
  seenMoreRanks: {
    one: 'And {count} more rank of its job.',
    other: 'And {count:number} more ranks of its job.',
  },
  seenHost: 'At that moment {used:bytes} of {total:bytes} host memory was in use.',
  // Who holds it.
  loadsOntoCard0: 'A checkpoint was being loaded straight onto card 0, where it was saved from.',
  ranksOnCard0: '{ranks:number} ranks name card 0 in this text.',
  bareContexts: '{count:number} processes hold no more than a CUDA context on card 0.',
  cacheServer: 'A cache or sharing server is named, which can keep a dead client’s memory mapped.',
  firstTouch: 'It failed when the card was first touched, before the program had put anything on it.',
  heldWithoutProcess:
    'Card {gpuIndex} is idle and holds {held:bytes} of which no listed process says that it is its own.',
  processState: 'Process {pid} has parent 1 and is in state {state}.',
  kernelStack: 'Its kernel stack is inside the NVIDIA driver, where no signal reaches it.',
  // Phases.
  trainingStep: 'The last step shown is {done:number}.',
  trainingStepOf: 'The last step shown is {done:number} of {total:number}.',
  evaluationStep: 'The progress shown is step {done:number} of {total:number} of an evaluation.',
  loadingStep: 'The progress shown is {done:number} of {total:number} while loading.',
  optimizerFrame: 'It failed inside the optimizer’s step.',
  lossFrame: 'It failed where the loss is computed from the logits.',
  userLossFrame: 'It failed inside a loss function of the script itself.',
  attentionFrame: 'It failed inside attention.',
  evaluation: 'It failed during validation or evaluation, not in a training step.',
  concatenateFrame: 'It failed where the predictions of all evaluation steps are put together.',
  saveFrame: 'It failed while state was gathered for saving.',
  resume: 'It failed while a saved state was loaded beside the live one.',
  loadOnEachRank: 'Rank {rank} was loading model weights, as every rank does.',
  loadOfWeights: 'It failed while model weights were loaded, which every rank does.',
  whileLoading: 'It failed while the model was loaded or moved to the card; no batch was reached.',
  warmup: 'It failed in the engine’s warm-up or profiling run.',
  servingStart: 'A serving worker failed before any request or step is shown.',
  cardsUnequal:
    'The engine found its cards unequally free before it loaded anything, which is what another process on some of them looks like.',
  changedWhileMeasured:
    'While the engine measured the card, free memory went from {before:bytes} to {after:bytes}: another process gave memory back meanwhile.',
  changedWhileMeasuredAlone:
    'Memory on the card changed hands while the engine measured it, so another process was using the card.',
  poolUsedUp:
    'The requests in flight used up the engine’s pool for tokens; the card itself is not asked for more.',
  noCacheRoom: 'The engine found no room for its cache after the weights.',
  denseFrame: 'It failed where boxes or instances are matched, which grows with their number in one image.',
  retried: 'The program caught the failure and went on: most batches fit, this one did not.',
  dataParallelFrame: 'It failed inside nn.DataParallel, which collects everything on one card.',
  growth: 'The text says that memory grows from step to step.',
  printedGrowth:
    'The memory that the log prints rises from {first:number} to {last:number} over {readings:number} lines.',
  oneSnapshot: 'Many steps had passed. One snapshot cannot tell a slow leak from a large batch.',
  // Without numbers.
  driverWord:
    'The driver itself says out of memory; it prints no sizes, and the stack trace may point elsewhere.',
  oldDriverWord: 'This old PyTorch prints the same words for every kind of out of memory.',
  pinFrame: 'It failed while host memory was being page-locked for transfers.',
  managedMemory: 'The check that failed is the one for managed memory, which the paged optimizers use.',
  libraryHandle: '{library} could not be set up; that mostly means that no memory was left for it.',
  libraryMayFindFull: 'A library that starts first meets a card that others have filled.',
  nvmlAssert:
    'The allocator was out of memory and failed while it asked NVML who uses the card, which is refused in MIG slices and some containers.',
  sliceMayDiffer: 'The text does not show which card or slice the job was meant to use.',
  // Main memory.
  kernelKilled: 'The kernel killed process {pid} ({name}), which held {resident:bytes} of host memory.',
  memoryLimit:
    'It was the limit of the job, the container or its group, which can be far below the machine’s memory.',
  workerKilled: 'A data-loading worker was killed with SIGKILL, which it cannot send itself.',
  workerGone:
    'A data-loading worker vanished without a word; the kernel’s OOM killer, a full /dev/shm or a crash of its own can be why.',
  sigkill: 'Rank {rank} ended by SIGKILL without a word of its own.',
  killedAfterFailure:
    'Another failure stands before it: a launcher kills the remaining processes when one has failed.',
  killedFromOutside: 'The process was ended by SIGKILL; it printed no error of its own.',
  rayMonitor: 'Ray’s monitor ended a worker at {used:bytes} of {total:bytes} of the node’s memory.',
  rayMonitorAlone: 'Ray’s monitor ended a worker because the node’s memory ran low.',
  hostRequest: 'The request of {tried:bytes} went to host memory, not to a card.',
  hostRefused: 'Main memory was refused, not memory of a card.',
  cpuDevice: 'The tensor was to be on device CPU:0, so host memory is full.',
  winError1455: 'Windows error 1455 is the limit of RAM plus page file.',
  // Shared memory and files.
  busError: 'A process died of a bus error: a page of shared or mapped memory could not be had.',
  noSpaceInShm: '“No space left on device (28)” names /dev/shm here, not a disk.',
  ncclSegment: 'NCCL could not make a segment of {segment:bytes} in /dev/shm.',
  shmNearlyFull: '/dev/shm is {share:percent} full.',
  mappedFile: 'A memory-mapped file (lmdb or mmap) is in use.',
  errno24: 'Error 24 is the limit of open files; each tensor passed between processes needs one.',
  noDescriptor: 'A shared tensor’s file could not be opened or passed on.',
  openOfSegmentFailed: 'A segment in /dev/shm could not be opened.',
  onChipMemory: 'The kernel needs {required:bytes} of on-chip memory and the chip has {limit:bytes}.',
  onChipAlone:
    'The kernel needs more registers or on-chip shared memory than the card’s processors have; this is not the card’s memory.',
  // Many ranks.
  ncclNoRoom: 'NCCL found no room for its own buffers on card {gpuIndex}.',
  ncclBuffer: 'Even a buffer of {tried:bytes} was too much.',
  unhandledCudaError:
    'NCCL reports a CUDA error without its name; it often is a card without room for NCCL’s buffers.',
  communicator: 'It failed where a communicator is made, which needs memory outside PyTorch’s pool.',
  afterMemoryFailure:
    'A rank ran out of memory first (line {line}, rank {rank}); the others only waited for it.',
  afterMemoryFailureAt: 'A rank ran out of memory first (line {line}); the others only waited for it.',
  onlyWaited: 'The ranks shown only waited for one that did not come; no error of its own is in the text.',
  remoteGone: 'The other end of the connection went away; its own error is in its own log.',
  sequenceNumber: 'All wait in the same collective: {operation}, number {number}.',
  sequenceNumbersDiffer: 'Ranks wait in different collectives: numbers {numbers}.',
  garbageSize: 'The size asked for is nonsense, as it comes from a transfer that was broken off.',
  // Card and driver.
  ranksShareCard:
    'NCCL says that rank {first} and rank {second} both use the card at {card}. No memory is missing: each rank must have a card of its own.',
  metalSizeLimit:
    'Metal stopped the program because one array or buffer is larger than it allows in one piece, whatever is free.',
  oneBuffer: 'One buffer of {tried:bytes} was asked for, more than Metal allows in one piece.',
  xid: 'The driver logged Xid {xid}.',
  offTheBus: 'The driver says that the card has fallen off the bus.',
  noAnswer: 'The card does not answer the driver.',
  eccWord: 'The card reports an uncorrectable error of its memory.',
  busyOrUnavailable: 'The driver calls the card busy or unavailable, without a word of memory.',
  versionMismatch: 'The driver’s library and its kernel module have different versions.',
  noDeviceVisible: 'No card is visible to the program, and the visible cards are set in the text.',
  // Wordings of programs, loaders and services.
  weightsAndCache: 'The longest request needs {needed:bytes}, and {room:bytes} is there.',
  refusedToSpill:
    'The loader counted: the weights do not fit the cards, and it may not put the rest into host memory.',
  triedEveryBatch: 'The program tried ever smaller batches down to one, and each ran out of memory.',
  whileWrapping: 'It failed while the model was wrapped or sharded; no batch was reached.',
  ddpBuckets:
    'It failed in DistributedDataParallel’s constructor, which allocates a buffer as large as all gradients; no batch was reached.',
  clipFrame: 'It failed while the norm of the gradients was computed, before the optimizer’s step.',
  freeInPieces:
    '{free:bytes} is free, enough for the {tried:bytes} that was asked for, but the largest piece is {largest:bytes}.',
  elementCountsDiffer:
    'All wait in collective number {number}, but with tensors of different sizes: {counts} elements.',
  siblingContexts:
    '{count:number} other ranks of this job hold a bare CUDA context on this card, {held:bytes} together: they touched it before they chose their own.',
  semaphoreInShm:
    'It failed while a semaphore was made, which is a file in /dev/shm; “No space left on device” means that, not a disk.',
  exclusiveShown: 'The table shows the card in exclusive mode (E. Process).',
  copyTarget: 'A tensor was to be copied to the card, and its place there could not be allocated.',
  endedForMemory: 'Process {pid} ({name}) was ended to free host memory.',
  groupKilled: {
    one: 'The kernel killed {count} process of this control group for its memory.',
    other: 'The kernel killed {count:number} processes of this control group for its memory.',
  },
  modelOverRam: 'The model needs more host memory than is available.',
  modelOverRamBy: 'The model needs {needed:bytes} of host memory, and {available:bytes} is available.',
  poolBroken:
    'A worker process of the pool went away without a word of its own; the OOM killer is the commonest reason, a crash the next.',
  rayLists:
    'Ray does not know why the worker died: it lists the OOM killer, ray stop --force and a crash as possible reasons.',
  workerKilledPid: 'Data-loading worker {pid} was killed with SIGKILL, which it cannot send itself.',
  jaxPreallocates:
    'JAX takes three quarters of a card when it starts; a second process on the same card finds the rest.',
} as const;
