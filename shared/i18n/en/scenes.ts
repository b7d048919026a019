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
  orphanedRanksTitle: 'Orphaned ranks',
  orphanedRanksDescription:
    'The launcher of a two-card training was killed; its ranks do nothing and keep 19 GiB each, beside a job that works.',
  slowLeakTitle: 'Slow leak',
  slowLeakDescription:
    'A training keeps 13 MiB more every second until its card is full; another one is steady.',
  twoLeaksTitle: 'Two leaks, one card',
  twoLeaksDescription:
    'Two trainings share a card and each keep 12 MiB more every second: together they fill it in half the time that either would take.',
  loadingShardsTitle: 'Loading in shards',
  loadingShardsDescription:
    'A model is loaded in {shards} shards until its card is nine tenths full, then trained: no leak, and no alert.',
  dataparallelImbalanceTitle: 'DataParallel imbalance',
  dataparallelImbalanceDescription:
    'One DataParallel process on four cards: the first one gathers the outputs and is nearly full, the others are half empty.',
  strayContextsTitle: 'Stray contexts on card 0',
  strayContextsDescription: 'Four ranks that never call set_device: each also holds a context on card 0.',
  migTitle: 'MIG',
  migDescription: 'Two A100 cards; the first is split into three instances, two of them in use.',
  restlessTitle: 'Restless day',
  restlessDescription:
    'A job every eight minutes, a card that comes and goes, and an nvidia-smi that fails now and then.',
  cardLostTitle: 'Card lost',
  cardLostDescription: 'Card {card} of four falls off the bus after {seconds} seconds.',
  sixteenCardsTitle: 'Sixteen cards',
  sixteenCardsDescription: 'A shared machine with sixteen H100 cards, four jobs and about 130 processes.',
} as const;
