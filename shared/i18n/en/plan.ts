/** The Plan view: the table of plans, what was refused, questions asked back. */
export const plan = {
  plans: 'Plans',
  nothingFits: 'Nothing fits these cards',
  nothingFitsHint: 'The reason for each strategy stands below. The steps change what is asked.',
  incompleteHint: 'The steps say what is asked.',
  planForCards: 'Plan for {cards}',
  planFailed: 'The plans could not be worked out',
  planFailedHint: 'The log says more. Another model or other cards may work.',

  // The first answer
  answer: 'Answer',
  answerFits: '{asked} fits: {strategy}, {need:bytes} of {card:bytes}',
  answerTight: '{asked} is tight: {strategy}, {need:bytes} of {card:bytes}',
  answerInstead: '{asked} does not fit; {other} does: {strategy}, {need:bytes} of {card:bytes}',
  answerInsteadTight: '{asked} does not fit; {other} is tight: {strategy}, {need:bytes} of {card:bytes}',
  answerNothing: '{asked} does not fit these cards',
  answerNearest: 'Nearest to it: {strategy}. It needs at least {need:bytes} on a card that has {card:bytes}.',
  answerNeedsHost:
    'It needs {host:bytes} of host memory. How much there is is not known; the step Cards takes it.',

  // Progress
  drafting: 'Looking at strategies: {count:n} so far',
  judging: '{done:n} of {total:n} judged',
  ready: { one: '{count} plan', other: '{count} plans' },
  readyNone: 'No plan',

  // Table
  verdict: 'Verdict',
  fits: 'fits',
  tight: 'tight',
  doesNotFit: 'does not fit',
  name: 'Plan',
  memory: 'Memory on each card',
  microBatch: 'Micro-batch',
  microBatchShort: 'Batch',
  stepTime: 'Time',
  stepTimeHint: 'Time of a sample, relative to the fastest plan that fits',
  host: 'Host GiB',
  hostHint: 'Host memory that is needed; there are {have:bytes}',
  hostHintUnknown: 'Host memory that is needed',
  why: 'Why',
  times: '{ratio}×',
  accumulated: '{micro:n} × {steps:n}',
  accumulatedHint: {
    one: '{micro:n} samples at a time on each card, not accumulated',
    other: '{micro:n} samples at a time on each card, accumulated {count} times',
  },
  draft: 'draft',
  noFiles: 'no files',
  experimental: 'experimental',
  experimentalHint: 'No measured run covers this configuration on this kind of card; the interval is wider.',
  changesTraining: 'Trains something else instead',
  changesTrainingHint: 'These plans train adapters, not all parameters.',
  allCards: { one: 'card {first}', other: 'cards {first} to {last}' },
  someCards: 'cards {list}',
  barLabel: 'On {cards}: {expected:bytes} expected, {low:bytes} to {high:bytes}, of {total:bytes}',
  barLabelHeld:
    'On {cards}: {expected:bytes} expected, {low:bytes} to {high:bytes}, of {total:bytes}, of which others hold {held:bytes}',
  moreCards: { one: '{count} more card with more room', other: '{count} more cards with more room' },
  barExpected: 'this plan, {bytes:bytes}',
  barMaybe: 'up to {bytes:bytes}',
  barHeld: 'others, {bytes:bytes}',
  sortByBest: 'Best first',
  compare: 'Compare',
  keyCompare: 'In the plans: compare with the chosen one',
  compareWith: 'Compare with {name}',
  compared: 'compared',
  comparedWith: '{name} is compared',

  // Below the table
  refused: 'Not possible',
  refusedCount: { one: '{count} strategy is not possible', other: '{count} strategies are not possible' },
  refusedOf: '{strategy}, {method}',
  assumed: 'Assumptions',
  warnings: 'About this model and these cards',
  chosenPlan: 'The chosen plan',

  // The parts of the page
  parts: 'Parts of the page',
  partPlans: 'Plans ({count:n})',
  partStep: 'Training step',
  partChanges: 'What to change',
  partFiles: 'Files',
  partRuns: 'Runs',
  partCompare: 'Comparison',
  noRuns: 'Without files there is nothing that could be run or measured.',

  // Asking back
  askBack: 'Find the limits',
  asking: 'Working it out',
  stopAsking: 'Stop',
  askFailed: 'No answer was found; the log says more.',
  useAnswer: 'Use this',

  // Files
  saveFiles: 'Save the files',
  saved: 'Saved in {folder}',
  saving: 'Saving',
  preparing: 'Being written',

  planThisJob: { one: 'Plan this job', other: 'Plan this job on {count} cards' },
  hintTaken: 'The cards are those of the failure text in the Doctor.',
} as const;
