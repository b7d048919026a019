/** Asks the estimator about measured rows and takes the relative errors. */
import { H200 } from '../../shared/memory/cards';
import { estimate } from '../../shared/memory/estimate';
import { architectureOf, type MeasuredRow, measuredSpread, settingsOf } from './measured';

export interface RowResult {
  readonly row: MeasuredRow;
  readonly allocatedError: number;
  readonly reservedError: number;
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
    allocatedError: card.allocatedPeakBytes / row.peak_alloc - 1,
    reservedError: card.reservedPeakBytes / row.reserved - 1,
    processError: process === null ? null : card.processBytes / process - 1,
    intervalHolds: process === null ? null : interval.lowBytes <= process && process <= interval.highBytes,
    intervalWidth: process === null ? null : (interval.highBytes - interval.lowBytes) / process,
  };
}
