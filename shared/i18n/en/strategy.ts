/** The planner: why a plan works, why a strategy does not, what was taken for granted. */
export const strategy = {
  singleStates:
    'One card holds everything: {parameters:short} parameters take {weights:bytes} as weights, {gradients:bytes} as gradients and {optimizer:bytes} in the optimizer, {total:bytes} before any activation; the card has {card:bytes}, of which CUDA takes {context:bytes}.',
  dataParallelStates:
    'DataParallel keeps weights, gradients and optimizer on its first card: {weights:bytes} + {gradients:bytes} + {optimizer:bytes} = {total:bytes} for {parameters:short} parameters, before any activation; a card has {card:bytes}.',
  copyStates:
    'DDP keeps a full copy on every card: {parameters:short} parameters take {weights:bytes} as weights, {gradients:bytes} as gradients and {optimizer:bytes} in the optimizer, {total:bytes} before any activation; the smallest card has {card:bytes}, of which CUDA and NCCL take {context:bytes}. More cards do not help.',
  zeroStates:
    '{strategy} keeps the weights whole on every card: {weights:bytes} of weights, {gradients:bytes} of gradients and {optimizer:bytes} of optimizer state, {total:bytes} on each of {world:n} cards before any activation; the smallest has {card:bytes}.',
  shardStates:
    '{strategy} divides everything by {world:n}, and each card still holds {weights:bytes} of weights, {gradients:bytes} of gradients and {optimizer:bytes} of optimizer state, {total:bytes} before any activation; the smallest card has {card:bytes}, of which CUDA and NCCL take {context:bytes}.',
  stageStates:
    'Stage {stage:n} of {world:n} has {layers:n} layers with {parameters:short} parameters, which take {weights:bytes} as weights, {gradients:bytes} as gradients and {optimizer:bytes} in the optimizer, {total:bytes} before any activation; its card has {card:bytes}.',
  logits:
    'The logits of {tokens:n} tokens over a vocabulary of {vocabulary:n} take at least {bytes:bytes} at once, whatever else is saved; the largest card has {card:bytes}. Train on shorter sequences.',
  peak: 'One sample at a time needs {need:bytes}: {states:bytes} for weights, gradients and optimizer, {rest:bytes} for activations, logits and buffers, {context:bytes} for CUDA; card {index} has {card:bytes}.',
  peakCheckpointed:
    'Even with activation checkpointing one sample at a time needs {need:bytes}: {states:bytes} for weights, gradients and optimizer, {rest:bytes} for activations, logits and buffers, {context:bytes} for CUDA; card {index} has {card:bytes}.',
  fitsEmptyCard:
    'It needs {need:bytes}, and card {index} has only {card:bytes} free: other programs hold {used:bytes}. On the empty card it would fit.',
  hostTooSmall:
    'Offloading needs {need:bytes} of host memory for the processes of all cards; {have:bytes} are there.',
  batchUneven:
    'A batch of {batch:n} samples a step cannot be divided evenly among {world:n} cards with the micro-batch and accumulation that were asked for.',
  batchBelowStages:
    'A batch of {batch:n} samples a step makes fewer micro-batches than the {world:n} stages that the 1F1B schedule has to fill.',
  worldBeyondCards: '{world:n} cards were asked for, but there are {cards:n}.',
  noCards: 'There is no card to plan for.',
  needsSeveralCards: '{strategy} divides training among several cards, and there is only one to use.',
  qloraSharded:
    "FSDP2 shards tensors of a floating type only; bitsandbytes' 4-bit weights would have to be stored as one, which is not modelled and not written by the launch files.",
  eightBitSharded: "bitsandbytes' 8-bit optimizers do not know FSDP2's sharded tensors.",
  eightBitTensor: "bitsandbytes' 8-bit optimizers do not know the divided tensors of tensor parallelism.",
  adafactorDivided:
    'The Adafactor of transformers fails on the divided tensors of FSDP2 and of tensor parallelism.',
  dataParallelRecomputes:
    'Under DataParallel the other cards recompute attention with another kernel than cuDNN, and PyTorch 2.11 refuses that.',
  shardedTypes:
    'All parameters that FSDP2 shards together need one type, so adapters cannot stay in fp32 over a bf16 model: use --adapter-dtype model.',
  whySingle: {
    one: 'Everything fits on one card ({peak:bytes} of {card:bytes}), so nothing is exchanged and nothing is recomputed.',
    other:
      'Everything fits on one card ({peak:bytes} of {card:bytes}), so nothing is exchanged and nothing is recomputed.',
  },
  whySingleCheckpointed: {
    one: 'Everything fits on one card ({peak:bytes} of {card:bytes}); activations are recomputed in backward, about a quarter to a third more computing.',
    other:
      'Everything fits on one card ({peak:bytes} of {card:bytes}); activations are recomputed in backward, about a quarter to a third more computing.',
  },
  whyDataParallel: {
    one: 'DataParallel fits ({peak:bytes} of {card:bytes}), but DDP does the same faster.',
    other: 'DataParallel fits on {count} cards ({peak:bytes} of {card:bytes}), but DDP does the same faster.',
  },
  whyCopy: {
    one: 'A full copy fits on the card ({peak:bytes} of {card:bytes}).',
    other:
      'A full copy fits on each of {count} cards ({peak:bytes} of {card:bytes}), so only gradients travel, once a step and beside the last backward.',
  },
  whyCopyCheckpointed: {
    one: 'A full copy fits on the card ({peak:bytes} of {card:bytes}) when activations are recomputed.',
    other:
      'A full copy fits on each of {count} cards ({peak:bytes} of {card:bytes}) when activations are recomputed; only gradients travel, once a step.',
  },
  whyGradOp: {
    one: 'Gradients and optimizer are sharded ({peak:bytes} of {card:bytes}).',
    other:
      'Gradients and optimizer are split over {count} cards and weights are gathered once for each micro-batch ({peak:bytes} of {card:bytes}).',
  },
  whyGradOpCheckpointed: {
    one: 'Gradients and optimizer are sharded and activations recomputed ({peak:bytes} of {card:bytes}).',
    other:
      'Gradients and optimizer are split over {count} cards, weights are gathered once for each micro-batch and activations are recomputed ({peak:bytes} of {card:bytes}).',
  },
  whyShard: {
    one: 'Weights, gradients and optimizer are sharded ({peak:bytes} of {card:bytes}).',
    other:
      'Weights, gradients and optimizer are split over {count} cards ({peak:bytes} of {card:bytes}); weights are gathered layer by layer, twice for each micro-batch.',
  },
  whyShardCheckpointed: {
    one: 'Weights, gradients and optimizer are sharded and activations recomputed ({peak:bytes} of {card:bytes}).',
    other:
      'Weights, gradients and optimizer are split over {count} cards and activations are recomputed ({peak:bytes} of {card:bytes}); weights are gathered layer by layer, twice for each micro-batch.',
  },
  whyTensor: {
    one: 'Every layer is divided ({peak:bytes} of {card:bytes}).',
    other:
      'Every layer is divided among {count} cards ({peak:bytes} of {card:bytes}), which exchange activations several times a layer: good over NVLink, slow over PCI Express.',
  },
  whyPipeline: {
    one: 'The model is one stage ({peak:bytes} of {card:bytes}).',
    other:
      'Each of {count} cards has a run of layers ({peak:bytes} of {card:bytes}) and little travels between them; with {steps:n} micro-batches a step a card waits {waiting:percent} of the time while the pipeline fills and drains.',
  },
  whyPlacement: {
    one: 'All layers are on one card ({peak:bytes} of {card:bytes}).',
    other:
      'One process has its layers on {count} cards ({peak:bytes} of {card:bytes}), which work one after the other: it fits, but only one card is busy at a time.',
  },
  whyOffload: {
    one: "Weights, gradients and optimizer lie in host memory ({host:bytes}) and come to the card layer by layer ({peak:bytes} of {card:bytes}); the optimizer's step on the processor costs time.",
    other:
      "Weights, gradients and optimizer lie in host memory ({host:bytes}) and come to the {count} cards layer by layer ({peak:bytes} of {card:bytes}); the optimizer's step on the processor costs time.",
  },
  whyOffloadOptimizer: {
    one: "The optimizer lies in host memory ({host:bytes}), the weights stay on the card ({peak:bytes} of {card:bytes}); the optimizer's step on the processor costs time.",
    other:
      "The optimizer lies in host memory ({host:bytes}), the weights stay on the {count} cards ({peak:bytes} of {card:bytes}); the optimizer's step on the processor costs time.",
  },
  whyOffloadNvme: {
    one: 'Weights and optimizer lie on the NVMe drive and come to the card layer by layer ({peak:bytes} of {card:bytes}); reading and writing them takes most of the time.',
    other:
      'Weights and optimizer lie on the NVMe drive and come to the {count} cards layer by layer ({peak:bytes} of {card:bytes}); reading and writing them takes most of the time.',
  },
  whyOffloadedLora: {
    one: 'Adapters are trained ({trainable:short} parameters); the frozen {frozen:short} lie in host memory ({host:bytes}) and come to the card layer by layer ({peak:bytes} of {card:bytes}).',
    other:
      'Adapters are trained ({trainable:short} parameters); the frozen {frozen:short} lie in host memory ({host:bytes}) and come to the {count} cards layer by layer ({peak:bytes} of {card:bytes}).',
  },
  whyOffloadedLoraInstead: {
    one: 'Instead of all parameters this trains {trainable:short} adapter parameters; the frozen {frozen:short} lie in host memory ({host:bytes}) and come to the card layer by layer ({peak:bytes} of {card:bytes}).',
    other:
      'Instead of all parameters this trains {trainable:short} adapter parameters; the frozen {frozen:short} lie in host memory ({host:bytes}) and come to the {count} cards layer by layer ({peak:bytes} of {card:bytes}).',
  },
  whyEightBit: {
    one: "The optimizer's state in 8 bits makes it fit ({peak:bytes} of {card:bytes}); the same parameters are trained with coarser steps.",
    other:
      "The optimizer's state in 8 bits makes it fit on {count} cards ({peak:bytes} of {card:bytes}); the same parameters are trained with coarser steps.",
  },
  whyBfloat16: {
    one: 'With weights, gradients and optimizer in bf16 it fits ({peak:bytes} of {card:bytes}); small updates can be lost in rounding.',
    other:
      'With weights, gradients and optimizer in bf16 it fits on {count} cards ({peak:bytes} of {card:bytes}); small updates can be lost in rounding.',
  },
  whyLora: {
    one: 'Only {trainable:short} adapter parameters have gradients and optimizer state; the frozen {frozen:short} have neither gradients nor optimizer state ({peak:bytes} of {card:bytes} in all).',
    other:
      'Only {trainable:short} adapter parameters have gradients and optimizer state; each of {count} cards holds the frozen {frozen:short} without gradients and optimizer state ({peak:bytes} of {card:bytes} in all).',
  },
  whyLoraInstead: {
    one: 'Instead of all parameters this trains {trainable:short} adapter parameters; the frozen {frozen:short} have neither gradients nor optimizer state ({peak:bytes} of {card:bytes} in all).',
    other:
      'Instead of all parameters this trains {trainable:short} adapter parameters; each of {count} cards holds the frozen {frozen:short} without gradients and optimizer state ({peak:bytes} of {card:bytes} in all).',
  },
  whyShardedLora: {
    one: 'Adapters are trained ({trainable:short} parameters) and the frozen {frozen:short} are sharded ({peak:bytes} of {card:bytes}).',
    other:
      'Adapters are trained ({trainable:short} parameters) and the frozen {frozen:short} are split over {count} cards ({peak:bytes} of {card:bytes}).',
  },
  whyShardedLoraInstead: {
    one: 'Instead of all parameters this trains {trainable:short} adapter parameters; the frozen {frozen:short} are sharded ({peak:bytes} of {card:bytes}).',
    other:
      'Instead of all parameters this trains {trainable:short} adapter parameters; the frozen {frozen:short} are split over {count} cards ({peak:bytes} of {card:bytes}).',
  },
  whyQlora: {
    one: 'The frozen {frozen:short} parameters are kept in 4 bits and {trainable:short} adapter parameters are trained ({peak:bytes} of {card:bytes}); dequantising makes a step take about 1.5 times as long.',
    other:
      'The frozen {frozen:short} parameters are kept in 4 bits on each of {count} cards and {trainable:short} adapter parameters are trained ({peak:bytes} of {card:bytes}); dequantising makes a step take about 1.5 times as long.',
  },
  whyQloraInstead: {
    one: 'Instead of what was asked this keeps the frozen {frozen:short} parameters in 4 bits and trains {trainable:short} adapter parameters ({peak:bytes} of {card:bytes}); dequantising makes a step take about 1.5 times as long.',
    other:
      'Instead of what was asked this keeps the frozen {frozen:short} parameters in 4 bits on each of {count} cards and trains {trainable:short} adapter parameters ({peak:bytes} of {card:bytes}); dequantising makes a step take about 1.5 times as long.',
  },
  assumeNvlink:
    'NVLink between all cards is assumed, as cards of this model are sold: {speed:bytes} a second.',
  assumePcie: 'PCI Express between the cards is assumed: {speed:bytes} a second.',
  assumeHost: 'Host memory is not known, so offloading was not held against it.',
  assumeCard: 'No card was named; times and kernels are those of the H200, links those of a workstation.',
  assumeBatch: 'No batch was named; {batch:n} samples a step are planned.',
  // Asks
  longestSequence: {
    one: 'Up to {sequence:n} tokens a sample fit: {peak:bytes} of {card:bytes} with one sample at a time.',
    other:
      'Up to {sequence:n} tokens a sample fit on {count} cards: {peak:bytes} of {card:bytes} with one sample at a time on each.',
  },
  longestByModel: 'The model has positions for {sequence:n} tokens, and that many fit.',
  sequenceOfImages: 'The sequence of this model follows from the images, so there is none to choose.',
  largestBatch: {
    one: 'At most {micro:n} samples at a time complete steps on the card.',
    other: 'At most {micro:n} samples at a time complete steps on each of {count} cards, {total:n} together.',
  },
  onlyTight: 'Not even the least fits for sure: {peak:bytes} of {card:bytes} are expected on card {index}.',
  smallestCard: {
    one: 'A card of {card:bytes} is enough.',
    other: '{count} cards of {card:bytes} are enough.',
  },
  changesTogether: 'No single change is enough. These together are the fewest that make it fit: {flags}',
  severalChanges: 'No single change is enough. This plan fits; it changes several things at once.',
  nothingToChange: 'It fits as asked; nothing has to change.',
  changeCheckpointing:
    'Recompute activations in backward (--checkpointing full): about a quarter to a third slower.',
  changeMicroBatch:
    'Take one sample at a time and accumulate (--micro-batch 1): the same step, a little slower.',
  changeExpandable: 'Let segments grow (--expandable-segments): it costs nothing.',
  changeStrategy: 'Split the states over the cards (--strategy {strategy}): the same training, more traffic.',
  changeOffload:
    'Move weights, gradients and optimizer to host memory (--strategy fsdp-full --offload all): several times slower.',
  changePrecision:
    'Keep weights, gradients and optimizer in bf16 (--precision bf16): small updates can be lost in rounding.',
  changeOptimizer: "Keep the optimizer's state in 8 bits (--optimizer adamw-8bit): coarser steps.",
  changeSequence: 'Use samples of {sequence:n} tokens (--seq {sequence:n}).',
  changeLora: 'Train adapters instead of all parameters (--method lora).',
  changeQlora: 'Train adapters over a model in 4 bits (--method qlora).',
  // Launch files
  launchOptimizer: 'Files cannot be written for the optimizer "{optimizer}" yet.',
  launchCheckpointing: 'Files cannot be written for this kind of checkpointing yet; choose none or full.',
  launchTogether: 'Files cannot be written for the strategy "{strategy}" together with {setting} yet.',
  launchPipelineModel:
    'The script of a pipeline cannot cut models of class "{className}" into stages; layers placed by one process (schedule sequential) can be written.',
  launchModel: 'Files cannot be written for models of class "{className}" yet.',
} as const;
