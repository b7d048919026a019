/** The memory estimate: what is refused, what is assumed, what may surprise. */
export const memory = {
  countTooLarge: '{name} must be at most {most:n}, but is {value}.',
  badCount: '{name} must be a whole number from 1 up, but is {value}.',
  badShare: '{name} must be a number from 0 up and below 1, but is "{value}".',
  badContext: '{name} must be a size in MiB from 0 up, but is "{value}".',
  badCardSize: '{name} must be a card size in MiB, or one for each card, but has "{value}".',
  badValue: '{name}: "{value}" is not one of {expected}.',
  unknownKey: 'No request has a key "{key}".',
  unknownKeyNear: 'No request has a key "{key}"; did you mean "{near}"?',
  requestNotObject: 'A request must be a JSON object with "model" and the flags in camelCase.',
  unknownCard:
    'The card "{name}" is not known; the values of the {nearest} are taken, and the interval is wider.',
  badMicroBatch: 'The micro-batch must be a whole number from 1 up, but is {value}.',
  badSequence: 'The sequence length must be a whole number from 1 up, but is {value}.',
  tooManyTokens:
    'A micro-batch of {microBatch:n} samples of {sequence:n} tokens is more than is played: at most {most:n} tokens.',
  badAccumulation:
    'The number of accumulated micro-batches must be a whole number from 1 up, but is {value}.',
  badWorld: 'The number of cards must be a whole number from 1 up, but is {value}.',
  badRank: 'The LoRA rank must be a whole number from 1 up, but is {value}.',
  singleWorld: 'The strategy "single" uses one card, but {world} were asked for.',
  cardsAndWorld: {
    one: '{cards} card sizes were given for {count} card; give one.',
    other: '{cards} card sizes were given for {count} cards; give one for all or one for each.',
  },
  dropoutOfParameter:
    'peft cannot drop out in front of {parameter}, which is no linear layer: set the LoRA dropout to 0 or name other targets.',
  unknownTarget: 'No linear layer of this model is called "{target}". Its layers are: {known}.',
  fewMicroBatches:
    "PyTorch's 1F1B schedule needs at least as many micro-batches a step as there are stages ({world:n}), but {accumulation:n} were given: use --accumulation {world} or more, or --schedule gpipe.",
  stagesOfOneStack:
    '{className} has {count:n} stacks of layers; stages are cut between the layers of one stack only.',
  stagesOfSharedLayers: 'All layers of {className} share their weights, so it cannot be cut into stages.',
  tooFewLayers: 'A model of {layers:n} layers cannot be cut into {world:n} stages.',
  noTensorPlan:
    'transformers has no plan for tensor parallelism of {className} (`base_model_tp_plan`), or one that is not modelled.',
  unevenHeads: '{size:n} attention heads cannot be divided evenly among {world:n} cards.',
  unevenKeyValueHeads: '{size:n} key-value heads cannot be divided evenly among {world:n} cards.',
  unevenWidth: "The MLP's width of {size:n} cannot be divided evenly among {world:n} cards.",
  unevenVocabulary: 'A vocabulary of {size:n} cannot be divided evenly among {world:n} cards.',
  qloraTensor: "bitsandbytes' 4-bit weights cannot be divided for tensor parallelism; use --method lora.",
  loraTensor:
    'peft has no tensor parallelism for adapters of {module}, whose results are gathered; name other targets.',
  noCheckpointing:
    '{className} does not support gradient checkpointing in transformers 5: `gradient_checkpointing_enable` raises an error. Train without it.',
  noAutocast:
    '{className} cannot run in {precision} with transformers 5: its masking value does not fit into 16-bit scores. Use fp32 or pure bf16.',
  selectiveNotModelled:
    'Recomputing attention alone is not modelled for "{family}" models; use --checkpointing full.',
  beyondAnyMachine:
    'This step would hold {bytes:bytes} at once, more than any machine has: lower the micro-batch or the sequence.',
  offloadNeedsSharding:
    'The strategy "{strategy}" keeps everything on the card; --offload {offload} needs fsdp-full, fsdp-grad-op or a zero strategy.',
  badOffload: '"{strategy}" can offload {known}, but not {offload}.',
  sequenceBeyondPositions:
    'A sequence of {sequence:n} tokens is longer than the {positions:n} positions this model was made for.',
  fsdpPadding:
    'FSDP divides each tensor by its first dimension, and some have too few rows for {world:n} cards: {share:percent} of the weights that each card holds are padding. Fewer cards waste less.',
  understood: '{name} {value} is taken as {own}.',
  cardMemory: 'The {card} has {bytes:bytes}; another size can be given.',
  droppedTargets: 'This model has no layer called {targets}; adapters go to the others that were named.',
  bf16OnOldCard:
    'The {card} has no bf16 arithmetic of its own: PyTorch emulates it slowly, or refuses. Its own 16-bit type is fp16.',
  flashOnOldCard: 'The {card} has no flash attention; the memory-efficient kernel takes its place.',
  flashInFp32:
    'Flash attention takes 16-bit types only; in fp32 the memory-efficient kernel takes its place.',
  assumeStack:
    'PyTorch 2.11 and transformers 5.17 are assumed; other versions keep and allocate some tensors differently.',
  assumeCard: 'No card was named; workspaces, kernels and context are those of the {card}.',
  assumeCardValues:
    'Kernels and workspaces of the {card} follow from its data sheet; no run was measured on it yet.',
  assumeContext:
    'The memory that CUDA itself takes on the {card} was not measured; a value published for its generation is used.',
  assumeRouting:
    'Tokens are routed by grouped products over stacked experts (transformers 5); how many tokens an expert gets does not change the memory.',
  assumeFsdpUnits: 'FSDP2 wraps every block and then the whole model (`fully_shard`).',
  assumeFsdpSyncEach:
    'FSDP2 reduces gradients with every micro-batch, so each card keeps only its shards of them (--gradient-sync each).',
  assumeFsdpSyncLast:
    'FSDP2 reduces gradients in the last micro-batch of a step only (`set_requires_gradient_sync`); until then each card keeps whole gradients (--gradient-sync last).',
  assumeDdpSyncEach: 'DDP exchanges gradients with every micro-batch (--gradient-sync each).',
  assumeDdpSyncLast:
    'DDP exchanges gradients in the last micro-batch of a step only (`no_sync` before it; --gradient-sync last).',
  assumeDdpBuckets:
    'The first step has ended on the card before the second begins: otherwise NCCL still holds the old buckets of gradients beside the new ones in the second step, one more set of gradients.',
  assumeOneMachine: 'All {world} processes run on one machine; its memory holds what all of them offload.',
  assumeDataParallel:
    'The first card gathers the losses of all cards and sums their gradients; a replica is made anew for every forward.',
  assumeZero:
    'DeepSpeed keeps 16-bit weights and gradients and an fp32 copy for the optimizer; its buckets hold {elements:n} elements, as the generated configuration says.',
  assumeZeroUnits:
    'From the second step on ZeRO-3 gathers weights ahead, up to {elements:n} elements at once, and keeps what is used again within as many.',
  assumeTensorPlan:
    "Layers are cut as transformers' `tp_plan` says: projections by columns and rows, norms and embeddings whole, logits gathered on every card.",
  assumeTensorTied: 'The output layer is tied to the embeddings and stays whole on every card.',
  assumeStages:
    'Layers of each stage: {layers}. Each has a process of its own (torch.distributed.pipelining) with receive buffers for all micro-batches of a step; the last one keeps the logits until their backward.',
  assumeStagesTied:
    'The output layer is tied to the embeddings: first and last stage have a copy of them each, whose gradients are summed.',
  assumeInnerStages:
    'Stages between the first and the last are taken to hold {bytes:bytes} more for their second neighbour; only pipelines of two stages were measured.',
  assumePlacement:
    'Layers on each card: {layers}. One process sends each micro-batch through all cards and back before the next one.',
  assumeSegments: 'As in checkpoint_sequential, the last segment of a stack is not recomputed.',
  assumeQuantized:
    'bitsandbytes keeps all linear layers but the output layer in nf4; with mixed precision everything else is in fp32.',
  assumeEightBit:
    'Moments of embeddings have 8 bits, too, as with bitsandbytes alone. The Trainer of transformers keeps them in fp32, which takes {bytes:bytes} more where one card has all of them.',
  assumePaged:
    'The moments of large weights, {bytes:bytes} over all cards, lie in unified memory and count as host memory here: the driver keeps them on the card while it has room, where nvidia-smi may show them, and moves them to host memory when it has none.',
  assumeImages:
    'Each sample has one image of {patches:number} patches beside its text; the tokens that stand for it are part of the sequence length.',
  assumePatches: 'The configuration fits images of any size; each is taken to have {patches:number} patches.',
  assumeFrames:
    'The configuration fits recordings of any length; each is taken to have {frames:number} frames behind the convolutions.',
  assumeUntraced:
    'The code of {className} is played as it is written; no step of it was recorded to compare with.',
  assumeNearestBlock:
    "The code of {className} ({family}) is not modelled; its step is played from its layers' shapes as the nearest known block.",
  assumePublished:
    'No run like this was measured. The interval is what {figures:n} published figures of {sources:n} sources leave around such answers, from {below:percent} below to {above:percent} above; each source counts as one.',
  assumeTwoCards: 'This strategy was held against runs on two H200 cards only.',
  assumeDocuments:
    'No measured run covers this configuration. The numbers follow the documented behaviour of the libraries; the interval is wider.',
  largestAtStart:
    'The largest micro-batch of {grown:n} was found by trying sizes from 1 up in one process. A training that begins with it runs out of memory, because its first step leaves optimizer state between large activations; it can begin with {atStart:n}.',
} as const;
