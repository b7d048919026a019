/** What can be changed in a program, by topic; each program has its own flag, parameter or call for some of them. */
export type Topic =
  | 'microBatch'
  | 'evaluationBatch'
  | 'checkpointing'
  | 'shorterInput'
  | 'quantisedWeights'
  | 'weightOffload'
  | 'moreCards'
  | 'eightBitOptimizer'
  | 'shardedOptimizer'
  | 'shardedModel'
  | 'fusedAttention'
  | 'dataWorkers'
  | 'pageLocking'
  | 'groupByLength'
  | 'reducedPredictions'
  | 'roomForLibrary'
  | 'deviceShare'
  | 'smallerDeviceShare'
  | 'contextLength'
  | 'fewerRequests'
  | 'cacheType'
  | 'lowMemoryMode'
  | 'tiledDecoding'
  | 'wiredLimit'
  | 'dataStream';

/** A program's flags, parameters or calls, ready to be copied. What is not named, the program has no word for. */
export type Words = Readonly<Partial<Record<Topic, string>>>;
