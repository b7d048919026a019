/** What is on a card once a model was built, parameters and buffers with what their blocks have over, byte for byte as it was measured. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { H200 } from '../../../../shared/gpu/models';
import { forwardOf } from '../../../../shared/memory/chooseForward';
import { LogPlayer, rangeBetween } from '../../../../shared/memory/play';
import { AllocationLog } from '../../../../shared/memory/tape/log';
import { modelBuilt } from '../../../../shared/memory/tape/marks';
import { Tape } from '../../../../shared/memory/tape/tape';
import { aloneSpread } from '../../../../shared/memory/training/distribution';
import { partOf } from '../../../../shared/memory/training/part';
import { TrainingRun } from '../../../../shared/memory/training/run';
import { architectureOf, type MeasuredRow, readLines, settingsOf } from '../../../accuracy/measured';

const folder = path.resolve(import.meta.dirname, '../../../fixtures/accuracy');
const rows = ['mem', 'mem-exp'].flatMap((file) => readLines<MeasuredRow>(folder, file));

/** One row of each model, precision, kind of training and kind of segments on one card: what else differs comes later. */
const built = new Map(
  rows.flatMap((row) => {
    const { error, expandable_segments: expands = false, lora, model, precision, strategy = 'single' } = row;
    if (error !== undefined || strategy !== 'single') return [];
    const adapted = lora === undefined ? 'full' : `rank ${lora} ${row.targets?.join(' ') ?? 'all'}`;
    return [[`${model} ${precision} ${adapted}${expands ? ', expandable segments' : ''}`, row] as const];
  }),
);

test('is known of many models', () => expect(built.size).toBeGreaterThan(60));

test.each([...built])('%s', (_name, row) => {
  const architecture = architectureOf(folder, row);
  const forward = forwardOf(architecture.family);
  if (forward === null) throw new Error(`no forward for ${architecture.family}`);
  const settings = { ...settingsOf(row), microBatch: 1, sequence: 1 };
  const log = new AllocationLog();
  new TrainingRun(new Tape(log, H200), partOf(architecture, aloneSpread), forward, settings);
  const player = new LogPlayer(log, {
    expandableSegments: row.expandable_segments === true,
    addressOrder: 'falling',
    limitBytes: null,
  });
  player.play(rangeBetween(log, null, modelBuilt));
  expect(player.allocator.allocatedBytes).toBe(row.alloc_after_build);
});
