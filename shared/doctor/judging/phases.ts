import { message } from '../../i18n/message';
import { has, isStory } from './context';
import { cardIsFullOfOwn, freeIsEnough, othersHoldMuch, ownShare } from './numbers';
import type { Context } from '../failures/readFailure';

export function growthEvidence({ failure }: Context) {
  if (failure.growth === null) return [];
  const { readings, first, last } = failure.growth;
  return [message('doctorEvidence.printedGrowth', { readings, first, last })];
}

/** Nothing in the numbers says that the fault lies outside this process. */
export function ownFault(context: Context): boolean {
  if (!isStory(context, 'gpu-oom')) return false;
  if (freeIsEnough(context) && context.failure.fresh) return false;
  return !(othersHoldMuch(context) && ownShare(context) < 0.4);
}

/**
 * A traceback without its end names no error. Where an optimizer takes its step hardly anything but memory fails, so it
 * is worth a guess; elsewhere a shape, a type or an index fails as well.
 */
export function mayBeOwnFault(context: Context): boolean {
  return ownFault(context) || isStory(context, 'traceback');
}

export const mostOfCut = 0.45;

export function ofCut(context: Context, confidence: number): number {
  return isStory(context, 'traceback') ? confidence * mostOfCut : confidence;
}

export function inOptimizerStep(context: Context): boolean {
  return (
    has(context, 'optimizerStepFrame') && !has(context, 'loadStateDictFrame', 'backwardFrame', 'clipFrame')
  );
}

export function stepNumber(context: Context): number | null {
  return context.failure.progress?.phase === 'training' ? context.failure.progress.done : null;
}

export function inEvaluation(context: Context): boolean {
  if (has(context, 'backwardFrame')) return false;
  return (
    has(context, 'evaluationFrame', 'evaluationWords') || context.failure.progress?.phase === 'evaluation'
  );
}

export function isResuming(context: Context): boolean {
  if (has(context, 'backwardFrame')) return false;
  if (has(context, 'loadStateDictFrame')) return !has(context, 'loadFrame');
  return (
    has(context, 'resumeWords', 'resumeFrame') || (has(context, 'torchLoadFrame') && cardIsFullOfOwn(context))
  );
}

export function isOneOfManyRanks(context: Context): boolean {
  return (
    context.failure.rank !== null ||
    (context.failure.facts.gpuIndex ?? 0) > 0 ||
    new Set(context.log.map((other) => other.rank)).size > 1
  );
}

export function sameRequestOnRanks(context: Context): number {
  const tried = context.failure.facts.triedBytes;
  if (tried === null || context.failure.rank === null) return 0;
  return new Set(context.log.filter((other) => other.facts.triedBytes === tried).map((other) => other.rank))
    .size;
}

/** Far from the start: the first batches fitted. */
export function isLateStep(context: Context): boolean {
  const { progress } = context.failure;
  if (progress?.phase !== 'training') return false;
  return (
    progress.done >= 100 ||
    (progress.done >= 20 && progress.total !== null && progress.done > 0.2 * progress.total)
  );
}

/** Loading, wrapping, the constructor of DistributedDataParallel: whatever failed there had not seen a batch. */
export function isBeforeAnyBatch(context: Context): boolean {
  return (
    has(context, 'loadFrame', 'moveModelFrame', 'paramArgWords', 'ddpReducerFrame', 'wrapFrame') &&
    !has(context, 'backwardFrame', 'evaluationFrame')
  );
}

/** State is gathered to be saved: the batches were done. */
export function isWhileSaving(context: Context): boolean {
  return has(context, 'saveFrame', 'fsdpSaveWarning') && !inOptimizerStep(context);
}
