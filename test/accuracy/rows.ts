/** Plays measured rows and takes the relative errors. */
import { H200 } from '../../shared/memory/cards';
import { forwardOf } from '../../shared/memory/families/registry';
import { isRepeatable, LogPlayer, rangeBetween } from '../../shared/memory/play';
import { AllocationLog } from '../../shared/memory/tape/log';
import { Tape } from '../../shared/memory/tape/tape';
import { TrainingRun } from '../../shared/memory/training/run';
import { architectureOf, type MeasuredRow, settingsOf } from './measured';

export interface RowResult {
  readonly row: MeasuredRow;
  readonly allocatedError: number;
  readonly reservedError: number;
  readonly buildDifferenceBytes: number;
}

/** The allocated peak over all steps and what is reserved at the end, as `lab/gt.py` measures them. */
export function playRow(folder: string, row: MeasuredRow): RowResult {
  const architecture = architectureOf(folder, row);
  const forward = forwardOf(architecture.family);
  if (forward === null) throw new Error(`no forward for ${architecture.family}`);
  const log = new AllocationLog();
  const run = new TrainingRun(new Tape(log, H200), architecture, forward, settingsOf(row));
  const steps = row.steps ?? 4;
  for (let step = 0; step < 2; step++) run.step();
  const player = new LogPlayer(log, {
    expandableSegments: row.expandable_segments === true,
    limitBytes: null,
    addressOrder: 'falling',
  });
  player.play(rangeBetween(log, null, 'build'));
  player.allocator.emptyCache();
  const built = player.allocator.allocatedBytes;
  player.play(rangeBetween(log, 'build', 'data'));
  player.allocator.resetPeak();
  player.play(rangeBetween(log, 'data', 'zero_grad 2'));
  const second = rangeBetween(log, 'zero_grad 1', 'zero_grad 2');
  for (let step = 2; step < steps && isRepeatable(log, second); step++) player.play(second);
  const { allocatedPeakBytes, reservedBytes } = player.allocator;
  return {
    row,
    allocatedError: allocatedPeakBytes / row.peak_alloc - 1,
    reservedError: reservedBytes / row.reserved - 1,
    buildDifferenceBytes: built - row.alloc_after_build,
  };
}
