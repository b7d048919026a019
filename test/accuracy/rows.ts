/** Asks the estimator about measured rows and takes the relative errors. */
import { H200 } from '../../shared/gpu/models';
import { estimate } from '../../shared/memory/estimate';
import {
  architectureOf,
  type MeasuredRow,
  type MeasuredSpread,
  measuredSpread,
  settingsOf,
} from './measured';

export interface RowResult {
  readonly row: MeasuredRow;
  readonly allocatedError: number;
  readonly reservedError: number;
  /**
   * True where the peak is one whole set of gradients above what is played: NCCL's watchdog thread, which looks at its work every 100 ms,
   * still held DDP's first buckets while the second step made the lasting ones. The same run may or may not show it, on one rank or all.
   */
  readonly holdsOldBuckets: boolean;
  /** Null where the process was not measured, or held more than a real one would. */
  readonly processError: number | null;
  readonly intervalHolds: boolean | null;
  /** Width of the interval as a share of the measured process. */
  readonly intervalWidth: number | null;
}

/** The allocated peak over all steps, what is reserved at the end, and the process, as `lab/gt.py` measures them. */
export function playRow(folder: string, row: MeasuredRow): RowResult {
  const spread = measuredSpread(row);
  const answer = estimate(architectureOf(folder, row), {
    training: settingsOf(row),
    ...spread,
    expandableSegments: row.expandable_segments === true,
    card: H200,
    cardMib: [],
    contextMib: null,
    timeline: false,
  });
  if (answer.kind === 'refused') throw new Error(answer.reason.key);
  const card = answer.estimate.cards[row.rank ?? 0];
  if (card === undefined) throw new Error('an estimate has a card');
  const { interval } = card;
  const process = spread.strategy === 'single' || row.rank !== undefined ? row.nvml : null;
  return {
    row,
    holdsOldBuckets: holdsOldBuckets(row, spread, card.allocatedPeakBytes),
    allocatedError: card.allocatedPeakBytes / row.peak_alloc - 1,
    reservedError: card.reservedPeakBytes / row.reserved - 1,
    processError: process === null ? null : card.processBytes / process - 1,
    intervalHolds: process === null ? null : interval.lowBytes <= process && process <= interval.highBytes,
    intervalWidth: process === null ? null : (interval.highBytes - interval.lowBytes) / process,
  };
}

function holdsOldBuckets(row: MeasuredRow, spread: MeasuredSpread, playedBytes: number): boolean {
  if (!spread.strategy.startsWith('ddp') || spread.world === 1) return false;
  const gradients = row.trainable * (row.precision === 'bf16' && row.lora === undefined ? 2 : 4);
  return Math.abs((playedBytes + gradients) / row.peak_alloc - 1) < 0.001;
}
