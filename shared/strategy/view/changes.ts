/** Single changes to a plan, grouped by what they cost. */
import type { PlanChange } from '../detail';

/**
 * `free`: less memory, or less time, for nothing. `slower`: less memory for time. `other-training`: less memory, but results may differ,
 * as other parameters, other bytes of them or shorter samples are trained. `faster`: more memory for less time. `no-help`: neither less memory nor less time.
 */
export type ChangeCost = 'free' | 'slower' | 'other-training' | 'faster' | 'no-help';

export interface ChangeGroup {
  readonly cost: ChangeCost;
  readonly changes: readonly PlanChange[];
}

/** A difference in time that no table would show and no measurement settle. */
const sameTimeShare = 0.015;
/** A difference in memory that helps nobody, as a share of the peak. */
const sameMemoryShare = 0.01;

const costOrder: readonly ChangeCost[] = ['free', 'slower', 'other-training', 'faster', 'no-help'];

/** The groups that are not empty, what costs nothing first; within one what costs least first, then what saves most. */
export function groupedChanges(changes: readonly PlanChange[]): readonly ChangeGroup[] {
  return costOrder.flatMap((cost) => {
    const group = changes.filter((change) => costOf(change) === cost);
    return group.length === 0 ? [] : [{ cost, changes: [...group].sort(byCost) }];
  });
}

export function costOf({
  changesResults,
  processPeakBytes,
  relativeStepTime,
  savedBytes,
}: PlanChange): ChangeCost {
  const noise = processPeakBytes * sameMemoryShare;
  const isFaster = relativeStepTime < 1 - sameTimeShare;
  if (savedBytes > noise) {
    if (changesResults) return 'other-training';
    return relativeStepTime > 1 + sameTimeShare ? 'slower' : 'free';
  }
  if (changesResults || !isFaster) return 'no-help';
  return savedBytes < -noise ? 'faster' : 'free';
}

const byCost = (one: PlanChange, other: PlanChange): number =>
  Math.round((one.relativeStepTime - other.relativeStepTime) / sameTimeShare) ||
  other.savedBytes - one.savedBytes;
