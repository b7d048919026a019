/** Compares the largest micro-batch with what `lab/gt.py` found by trying. */
import { H200 } from '../../shared/gpu/models';
import { forwardOf } from '../../shared/memory/chooseForward';
import { largestMicroBatch } from '../../shared/memory/largestMicroBatch';
import { simulate } from '../../shared/memory/simulation';
import { architectureOf, type MeasuredRun, settingsOf, spreadOf } from './measured';

const MIB = 2 ** 20;
/** `lab/gt.py` takes this much off the card unless the case says otherwise. */
const CONTEXT_MIB = 500;

export interface LargestRow extends MeasuredRun {
  readonly card_mib: number;
  readonly context_mib?: number;
  readonly max_batch: number;
  readonly expandable_segments?: boolean;
  /** The search ended here whether or not more would fit. */
  readonly cap?: number;
}

/** The played largest micro-batch, never above where the measurement stopped. */
export function playLargest(folder: string, row: LargestRow): number {
  const architecture = architectureOf(folder, row);
  const forward = forwardOf(architecture.family);
  if (forward === null) throw new Error(`no forward for ${architecture.family}`);
  const settings = settingsOf(row);
  const played = largestMicroBatch(
    (microBatch) =>
      simulate(architecture, forward, { ...settings, microBatch }, H200, spreadOf(architecture, row)),
    {
      expandableSegments: row.expandable_segments === true,
      addressOrder: 'falling',
      limitBytes: (row.card_mib - (row.context_mib ?? CONTEXT_MIB)) * MIB,
    },
  );
  return Math.min(played, row.cap ?? 256);
}
