import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRankLog } from '../../../../shared/receipts/rankLog';
import { GiB } from './builders';

/** As train.py wrote it on a real card (logs/rank0.log). */
const recorded = `2026-11-29 18:02:11,090 rank 0 INFO model=None data=None steps=20 learning_rate=1e-05 report_every=5 save=None
2026-11-29 18:02:13,404 rank 0 INFO headroom: measured peak 166290944 bytes, planned 100000000 bytes (+66.29 %)
2026-11-29 18:02:13,518 rank 0 INFO step 5 loss 6.2340 0.482 s/step allocated 0.07 GiB, peak 0.15 GiB, reserved 0.19 GiB
2026-11-29 18:02:14,100 rank 0 INFO step 20 loss 6.1000 0.130 s/step allocated 0.07 GiB, peak 0.15 GiB, reserved 0.20 GiB
2026-11-29 18:02:14,101 rank 0 INFO done: 20 steps
`;
const nothing = { allocatedPeakBytes: null, reservedBytes: null, doneSteps: null, failed: false };

describe('the log of a rank', () => {
  it('tells peak, reserved memory and the end', () =>
    expect(readRankLog(recorded, 100_000_000, null)).toEqual({
      allocatedPeakBytes: 166_290_944,
      reservedBytes: Math.round(0.2 * GiB),
      doneSteps: 20,
      failed: false,
    }));

  it('leaves out what an earlier run wrote, and peaks of other plans', () => {
    expect(readRankLog(recorded, 100_000_000, '2026-11-29 18:02:14')).toEqual({
      ...nothing,
      reservedBytes: Math.round(0.2 * GiB),
      doneSteps: 20,
    });
    expect(readRankLog(recorded, 100_000_000, '2026-11-30 00:00:00')).toEqual(nothing);
    expect(readRankLog(recorded, 100_000_001, null).allocatedPeakBytes).toBeNull();
  });

  it('knows a rank that failed by its error, whatever the traceback says', () => {
    const failed = `2026-11-29 18:02:11,090 rank 1 ERROR this rank failed first, or saw another one fail
Traceback (most recent call last):
  File "train.py", line 1, in main
torch.OutOfMemoryError: CUDA out of memory. done: 4 steps
`;
    expect(readRankLog(failed, 1, null)).toEqual({ ...nothing, failed: true });
  });

  it('tells of each further card of one process', () => {
    const cards = recorded.replace(
      /^(.* headroom: )measured peak .*$/m,
      (line, head: string) => `${line}\n${head}card 1: measured peak 55 bytes, planned 44 bytes (+25.00 %)`,
    );
    expect(readRankLog(cards, 100_000_000, null).allocatedPeakBytes).toBe(166_290_944);
    expect(readRankLog(cards, 44, null, 1)).toEqual({ ...nothing, allocatedPeakBytes: 55, doneSteps: 20 });
    expect(readRankLog(cards, 44, null, 2).allocatedPeakBytes).toBeNull();
    expect(readRankLog(cards, 44, null).allocatedPeakBytes).toBeNull();
  });

  it('is not misled by a message that holds its words', () => {
    const told = '2026-11-29 18:02:11,090 rank 0 INFO model=headroom: measured peak 5 bytes, planned 1 bytes';
    expect(readRankLog(told, 1, null)).toEqual(nothing);
  });

  it('reads any numbers between any other lines, and never throws', () => {
    const bytes = fc.integer({ min: 0, max: 2 ** 46 });
    fc.assert(
      fc.property(
        fc.array(fc.string()),
        fc.array(fc.string()),
        bytes,
        bytes,
        (before, after, peak, planned) => {
          const line = `2026-11-29 18:02:13,404 rank 0 INFO headroom: measured peak ${peak} bytes, planned ${planned} bytes (+0.00 %)`;
          const text = [...before, line, ...after].join('\n');
          expect(readRankLog(text, planned, null).allocatedPeakBytes).toBe(peak);
        },
      ),
    );
  });
});
