/** Titles and descriptions of the scenes of the simulated workstation. */
export const scenes = {
  two3090OomTitle: 'Two RTX 3090, out of memory',
  two3090OomDescription:
    'A fine-tuning of Llama-2 13B puts everything on the first card, fills it and dies, while the second card stays empty.',
  eightHealthyTitle: 'Eight cards, healthy',
  eightHealthyDescription: 'One DDP job on eight A100 cards: even, busy and steady.',
  driverMismatchTitle: 'Driver mismatch',
  driverMismatchDescription:
    'The driver was updated under a running kernel module, so nvidia-smi refuses to work; after {seconds} seconds it recovers.',
  smiHangsTitle: 'nvidia-smi hangs',
  smiHangsDescription:
    'nvidia-smi stops answering after {from} seconds and comes back {until} seconds after the start.',
} as const;
