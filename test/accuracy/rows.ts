/** Plays measured rows and takes the relative errors. */
import { H200 } from '../../shared/memory/cards';
import { forwardOf } from '../../shared/memory/families/registry';
import { simulate, summarise } from '../../shared/memory/simulation';
import { architectureOf, type MeasuredRow, settingsOf, spreadOf } from './measured';

export interface RowResult {
  readonly row: MeasuredRow;
  readonly allocatedError: number;
  readonly reservedError: number;
}

/** The allocated peak over all steps and what is reserved at the end, as `lab/gt.py` measures them. */
export function playRow(folder: string, row: MeasuredRow): RowResult {
  const architecture = architectureOf(folder, row);
  const forward = forwardOf(architecture.family);
  if (forward === null) throw new Error(`no forward for ${architecture.family}`);
  const simulation = simulate(architecture, forward, settingsOf(row), H200, spreadOf(row));
  const summary = summarise(
    simulation,
    { expandableSegments: row.expandable_segments === true, addressOrder: 'falling', limitBytes: null },
    0,
  );
  if (summary === null) throw new Error('without a limit nothing fails');
  const { allocatedPeakBytes, reservedPeakBytes } = summary;
  return {
    row,
    allocatedError: allocatedPeakBytes / row.peak_alloc - 1,
    reservedError: reservedPeakBytes / row.reserved - 1,
  };
}
