/** `headroom plan`: its flags and its readable answer. */
export const planCommand = {
  summary: 'Find the ways to train a model on these cards, the best first, and write the files that run one.',
  flagGpus: '2x24GiB, 24576,24576 (MiB) or detected (detected)',
  flagGlobalBatch: 'samples of one optimizer step over all cards (8 a card)',
  flagHostGib: 'memory of the machine in GiB, for offloading',
  flagWrite: 'write the files of a plan into a folder',
  flagPlan: 'which plan --write takes (1)',
  flagForce: 'overwrite files that are there',
  flagAsk: 'longest-seq, largest-batch, smallest-card or cheapest-change',
  badGpus: '--gpus: "{value}" is not a set of cards; expected 2x24GiB, 24576,24576 (MiB) or detected',
  noneDetected: 'no card was detected; name some with --gpus 2x24GiB',
  cardMibWithGpus: '--card-mib and --gpus both name cards; give one of them',
  askWithWrite: '--write cannot be given with --ask',
  forceAlone: '{flag} needs --write',
  noSuchPlan: {
    one: '--plan {number}: there is {count} plan',
    other: '--plan {number}: there are {count} plans',
  },
  nothingToWrite: 'there is no plan to write files of',
  fileExists: '{file} is there already; --force overwrites it',
  writeFailed: '{file} could not be written: {reason}',
  wrote: 'Wrote {file}',
  textModel: '{name}: {parameters:n} parameters',
  textPlanSingle:
    '{rank}. {strategy} · {method} · {precision} · {optimizer} · {checkpointing} · {offload}: {verdict}',
  textPlan: {
    one: '{rank}. {strategy} · {count} card · {method} · {precision} · {optimizer} · {checkpointing} · {offload}: {verdict}',
    other:
      '{rank}. {strategy} · {count} cards · {method} · {precision} · {optimizer} · {checkpointing} · {offload}: {verdict}',
  },
  textNumbers:
    'micro-batch {micro:n}, accumulation {steps:n}, {peak:bytes} on the fullest card, relative time {time:n}',
  textStages: 'layers on each card: {layers} (schedule {schedule})',
  textHost: "{bytes:bytes} of the machine's memory",
  textExperimental: 'experimental: rests on documents, not on measured runs',
  textChanges: 'changes what is trained',
  verdictFits: 'fits',
  verdictTight: 'tight',
  textNone: 'No plan fits.',
  textRefused: 'Refused:',
  textRefusal: '{strategy} · {method}: {why}',
  textAssumed: 'Assumed:',
} as const;
