/** The memory estimate: what is refused, what is assumed, what may surprise. */
export const memory = {
  badMicroBatch: 'The micro-batch must be a whole number from 1 up, but is {value}.',
  badSequence: 'The sequence length must be a whole number from 1 up, but is {value}.',
  badAccumulation:
    'The number of accumulated micro-batches must be a whole number from 1 up, but is {value}.',
  badWorld: 'The number of cards must be a whole number from 1 up, but is {value}.',
  badRank: 'The LoRA rank must be a whole number from 1 up, but is {value}.',
  singleWorld: 'The strategy "single" uses one card, but {world} were asked for.',
  cardsAndWorld: '{cards} card sizes were given for {world} cards; give one for all or one for each.',
  unknownTarget: 'No linear layer of this model is called "{target}". Its layers are: {known}.',
  familyNotModelled: 'The training step of "{family}" models is not modelled yet.',
  strategyNotModelled: 'The strategy "{strategy}" is not modelled yet.',
  sequenceBeyondPositions:
    'A sequence of {sequence:n} tokens is longer than the {positions:n} positions this model was made for.',
  assumeStack:
    'PyTorch 2.11 and transformers 5.17 are assumed; other versions keep and allocate some tensors differently.',
  assumeCard: 'No card was named; workspaces, kernels and context are those of the {card}.',
  assumeCardValues:
    'Kernels and workspaces of the {card} follow from its data sheet; no run was measured on it yet.',
  assumeContext:
    'The memory that CUDA itself takes on the {card} was not measured; a value published for its generation is used.',
} as const;
