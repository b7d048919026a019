/** The README of a plan's folder. */
export const launch = {
  what: {
    one: 'This folder trains the model as planned: {method}, {strategy}, on one card.',
    other: 'This folder trains the model as planned: {method}, {strategy}, on {count} cards.',
  },
  batch:
    'Each card takes {micro} samples at a time, {steps} times for one optimizer step: {total} samples a step over all cards.',
  syncEach:
    'Cards exchange gradients with every micro-batch, so that no card keeps more of them than the plan counts.',
  syncLast:
    'Cards exchange gradients in the last micro-batch of a step only; until then each keeps its own, which the plan counts.',
  peak: 'The plan expects the allocator to peak at {peak:bytes} on the fullest card; the CUDA context comes on top.',
  dataParallel:
    'DataParallel keeps weights, gradients and optimizer on the first card and copies the model to the others in every step: the first card fills before the others, and DDP (--strategy ddp) is faster. PyTorch advises DDP even on one machine.',
  startTitle: 'Start',
  mark: 'It runs `{command}` and marks the processes with {variable}, so that Headroom can show this plan beside the memory that they really take.',
  tryIt:
    'Without further arguments it trains random weights on a built-in sample: enough to see that it runs and what memory it takes.',
  forReal:
    'With weights from a folder, your own texts (.txt, or .jsonl with a field "text") and a place to save to:',
  receipt:
    'After the first steps it writes a line that begins with "headroom: measured peak": the measured peak beside the planned one.',
  memorySnapshot:
    '`bash launch.sh --memory-snapshot snapshots` records who holds the memory and writes snapshots/rankN-step3.pickle, and rankN-failure.pickle where a rank fails. `headroom snapshot snapshots/rank0-step3.pickle --plan headroom-plan.json` lays it beside this plan.',
  logs: 'Every rank writes logs/rankN.log with a memory line at each report. A rank that fails says so there and on the terminal; torchrun then ends the others.',
} as const;
