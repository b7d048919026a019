/** What is uneven between cards, why, and what to do. */
export const imbalance = {
  oneCardWhat: {
    one: 'Everything is on card {card}: {job} holds {used:bytes} there, and one card is idle.',
    other: 'Everything is on card {card}: {job} holds {used:bytes} there, and {count} cards are idle.',
  },
  oneProcessWhy: '{job} is one process without ranks; it uses card {card} only.',
  oneProcessRemedy:
    'Start one rank per card with torchrun (DDP or FSDP), or let the plan show what fits on {count} cards.',
  ranksOnOneCardWhy:
    '{count} ranks chose card {card}: no rank called torch.cuda.set_device with its LOCAL_RANK.',
  ranksOnOneCardRemedy:
    'Call torch.cuda.set_device(int(os.environ["LOCAL_RANK"])) before anything touches a card.',
  dataParallelWhat: '{job} holds {used:bytes} on card {card} and {others:bytes} on each of the others.',
  dataParallelWhy:
    'One process drives {count} cards as nn.DataParallel does: card {card} also keeps gradients, optimizer state and the gathered outputs.',
  dataParallelRemedy:
    'DistributedDataParallel, one rank on each of the {count} cards, spreads all of it evenly and runs faster.',
  strayWhat: {
    one: 'One rank of {job} keeps a bare context on card {card}: {used:bytes}.',
    other: '{count} ranks of {job} keep bare contexts on card {card}: {used:bytes} together.',
  },
  strayWhy:
    'They work on their own cards but touched card {card} first: .cuda() or torch.load before set_device.',
  strayRemedy: 'Call torch.cuda.set_device with LOCAL_RANK first, and torch.load with map_location="cpu".',
  rankWhat: 'Rank {rank} of {job} holds {used:bytes}, the other ranks {others:bytes} each.',
  rankMoreWhy:
    'Ranks of one job should be alike. Work that only this rank does adds memory: evaluation, saving, a loaded checkpoint, longer samples.',
  rankMoreRemedy:
    'Load checkpoints with map_location="cpu", spread evaluation over all ranks, and sort samples by length over ranks.',
  rankLessWhy: 'Ranks of one job should be alike. This one has not got as far, or has lost its work.',
  rankLessRemedy: 'Look at its log first: the others may be waiting for it.',
  sharedWhat: { one: 'One job is on card {card}.', other: '{count} jobs share card {card}.' },
  sharedWhy:
    '{first} holds {firstUsed:bytes} and {second} {secondUsed:bytes}; each sees less free memory than it may expect.',
  sharedRemedy: 'Start one of them with CUDA_VISIBLE_DEVICES={card}: that card is idle.',
  sharedFullRemedy:
    'The card is nearly full: let one of them finish first, or give each a smaller micro-batch.',
  orderWhat: 'Card {card} of nvidia-smi is cuda:{ordinal} for programs.',
  orderWhy: 'nvidia-smi counts cards by bus, CUDA by speed.',
  orderRemedy: 'Set CUDA_DEVICE_ORDER=PCI_BUS_ID so that both count alike.',
} as const;
