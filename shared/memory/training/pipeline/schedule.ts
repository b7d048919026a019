/** In which order a stage of a pipeline works on the micro-batches of a step. */

/**
 * `1f1b` and `gpipe`: torch.distributed.pipelining, a process for each stage. `sequential`: layers placed on several cards by one
 * process, which sends each micro-batch through all of them and back before the next.
 */
export const scheduleNames = ['1f1b', 'gpipe', 'sequential'] as const;

export type Schedule = (typeof scheduleNames)[number];

/** What a stage does with a micro-batch. */
export type StageAction = 'forward' | 'backward';

/**
 * Micro-batches whose forward has run and whose backward has not, at most, on stage `index` of `count`: their activations are in its
 * memory at once.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/distributed/pipelining/schedules.py
 */
export function microBatchesInFlight(
  schedule: Schedule,
  { count, index }: { readonly count: number; readonly index: number },
  microBatches: number,
): number {
  switch (schedule) {
    case '1f1b':
      return Math.min(count - index, microBatches);
    case 'gpipe':
      return microBatches;
    case 'sequential':
      return 1;
  }
}

/**
 * What a stage does in a step of `microBatches`: forwards until `inFlight` of them wait, then a backward before each further forward,
 * then the backwards that are left.
 */
export function stageActions(inFlight: number, microBatches: number): readonly StageAction[] {
  const warmUp = Math.min(inFlight, microBatches);
  const alternating = Array.from({ length: microBatches - warmUp }, () => ['backward', 'forward'] as const);
  return [...repeated('forward', warmUp), ...alternating.flat(), ...repeated('backward', warmUp)];
}

const repeated = (action: StageAction, count: number): StageAction[] =>
  new Array<StageAction>(count).fill(action);
