/** Plans beside what really runs, and what is kept of it. */
export const receipts = {
  contextCorrected: {
    one: 'Corrected by {count} receipt on this machine: a context of {context:bytes} before libraries.',
    other: 'Corrected by {count} receipts on this machine: a context of {context:bytes} before libraries.',
  },
  shareCorrected: {
    one: 'Corrected by {count} receipt on this machine: {share}.',
    other: 'Corrected by {count} receipts on this machine: {share}.',
  },

  plannedNow: 'planned {planned:bytes}, now {now:bytes}',
  plannedFor: 'Planned for {title}: {planned:bytes}.',
  plannedName: '{title}, planned',
  plannedLegend: '{title}, planned {planned:bytes}',
  plannedValue: 'planned {planned:bytes}',
  plannedColumn: '{title}, planned ({unit})',
  tiedByLaunch: 'Started from the files of the plan {name}.',
  tiedByPerson: 'Compared with the plan {name}.',
  measuredPeak:
    'The allocator peaked at {measured:bytes} on rank {rank}; {planned:bytes} were planned ({share}).',
  measuredProcess:
    'The process of rank {rank} held at most {measured:bytes} so far; {planned:bytes} are planned ({share}).',

  compare: 'Compare with plan…',
  compareHint: 'Show the planned memory beside what {job} takes',
  compareTitle: 'Compare with a plan',
  compareText:
    'Which plan does {job} follow? Its planned memory is shown beside what the job takes, and the difference is kept.',
  compareNothing:
    'There is no plan yet. Save the files of a plan, and it can be chosen here; a job that is started from them is recognised by itself.',
  compareNone: 'No plan',
  planSettings:
    '{method}, {strategy}, {precision}, {optimizer}, micro-batch {micro}, {steps} a step, {sequence} tokens',
  planOn: { one: '{planned:bytes} on one card', other: '{planned:bytes} on {count} cards' },
  planSaved: 'saved {when}',

  title: 'Receipts',
  intro: 'What this plan foretold and what came. Later estimates for such cards learn from it.',
  nothing: 'No run of this plan has been seen yet. Start it from its files, or measure it here.',
  listLabel: 'Runs of this plan',
  when: 'When',
  run: 'Run',
  planned: 'Planned',
  measured: 'Measured',
  difference: 'Difference',
  outcome: 'End',
  ofAllocated: '{measured:bytes}, allocator',
  ofProcess: '{measured:bytes}, process',
  notYet: 'not known yet',
  sourceJob: 'job on card {cards}',
  sourceJobUnknown: 'job',
  sourceMeasurement: 'measured here',
  simulatedMark: '(simulated; nothing is learnt from it)',
  delete: 'Delete',
  deleteHint: 'Delete the receipt of {when}',
  endRunning: 'running',
  endFinished: 'did all its steps',
  endFailed: 'failed',
  endDied: 'vanished from a full card',
  endFreed: 'ended by Headroom',
  endEnded: 'ended',
  endUnseen: 'ended unseen',

  cannotTie: 'The job or the plan is no longer there.',
  unknownReceipt: 'This receipt is no longer there.',
  readOnly: 'Read-only mode: no receipt is deleted.',
  damaged: 'The file of receipts could not be read whole. What fits was kept; the file as it was is {file}.',
  unreadable: 'The receipts cannot be read: {problem}',
  notSaved: 'The receipts cannot be saved: {problem}',
} as const;
