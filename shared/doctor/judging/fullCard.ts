import { GiB, MiB } from '../../units';
import { has, isStory, madeBy, matchesFormat, numberDetail, printedBy } from './context';
import { littleUnallocated, outside, ownTensors, progressAt, requestAndFree, selfInList } from './evidence';
import {
  cardIsFullOfOwn,
  fractionIsCapped,
  freeIsEnough,
  hasCardNumbers,
  hasSpilled,
  isFragmented,
  othersHoldMuch,
  othersHoldThePart,
  ownShare,
  requestIsHuge,
  unallocatedIsEnough,
} from './numbers';
import type { Message } from '../../i18n/message';
import type { Context } from '../failures/readFailure';

export function stepWasRunning(context: Context): boolean {
  if (has(context, 'loadFrame', 'loadWords', 'paramArgWords')) return false;
  return (
    has(context, 'backwardFrame', 'clipFrame', 'retryWords') || context.failure.progress?.phase === 'training'
  );
}

/** How likely it is that nothing but size is wrong, by what else the numbers say. */
export function fullConfidence(context: Context): number {
  if (freeIsEnough(context) && context.failure.fresh) return 0.12;
  if (fractionIsCapped(context)) return 0.2;
  if (hasSpilled(context)) return 0.7;
  if (madeBy(context, 'apple')) return mpsIsFull(context) ? 0.75 : 0.3;
  if (requestIsHuge(context)) return ownShare(context) > 0.6 ? 0.4 : 0.2;
  if (isFragmented(context))
    return cardIsFullOfOwn(context) && !(unallocatedIsEnough(context) && isOfLargePool(context)) ? 0.7 : 0.3;
  if (othersHoldMuch(context)) return 0.15 + 0.4 * ownShare(context);
  if (othersHoldThePart(context)) return 0.2 + 0.4 * ownShare(context);
  if (cardIsFullOfOwn(context)) return 0.76;
  // A program that needs next to nothing met a card that was taken before.
  if (printedBy(context, 'jax') && context.failure.details['totalNeededBytes'] !== undefined)
    return (numberDetail(context.failure, 'totalNeededBytes') ?? 0) < GiB ? 0.3 : 0.75;
  if (hasCardNumbers(context)) return ownShare(context) > 0.5 ? 0.6 : 0.4;
  if (context.failure.quantities.tried !== null) return 0.5;
  return matchesFormat(context, 'head-only', 'prose', 'error-out-of-memory', 'cudaMallocAsync-truncated') ||
    matchesFormat(context, 'P0-THCudaCheck', 'TF-tensor', 'ggml', 'ggml-pinned', 'XPU-UR') ||
    matchesFormat(
      context,
      'ollama-layout',
      'CANN-alloc',
      'Metal-insufficient-memory',
      'webui-lower-resolution',
    )
    ? 0.42
    : 0.25;
}

export function mpsIsFull(context: Context): boolean {
  const { allocatedBytes, allowedBytes } = context.failure.facts;
  return allocatedBytes !== null && allowedBytes !== null && allocatedBytes > 0.5 * allowedBytes;
}
/** Whether a message may come of a card that is full of the program's own tensors. */
export function mayBeFull(context: Context): boolean {
  return (
    isStory(context, 'gpu-oom') &&
    !matchesFormat(context, 'memory-snapshot', 'P-1EB', 'TF-pinned-host', 'ggml-pinned') &&
    context.failure.details['hostDevice'] === undefined
  );
}

export function fullEvidence(context: Context): readonly Message[] {
  return [
    ...ownTensors(context),
    ...requestAndFree(context),
    ...littleUnallocated(context),
    ...(othersHoldMuch(context) ? outside(context) : selfInList(context)),
    ...progressAt(context),
  ];
}

/** A request of 2 MiB or less is served from the pool of small blocks, whose reserve is another. */
export function isOfLargePool(context: Context): boolean {
  return (context.failure.quantities.tried ?? 0) > 2 * MiB;
}
