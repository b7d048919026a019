/**
 * Plays two steps of measured two-layer models from process start: encoders, encoder-decoders and mixtures of experts, every
 * optimizer, clipping, gradient scaling and adapters; and plays the recorded events through the caching allocator.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { CachingAllocator } from '../../../../shared/memory/allocator/allocator';
import { describeRun } from '../../../accuracy/measured';
import { measuredPhases, playedPhases } from '../../../accuracy/phases';
import { compareTrace, type MeasuredTrace, playTrace } from '../../../accuracy/traces';

interface RecordedTrace extends MeasuredTrace {
  readonly reserved: number;
  readonly peak_alloc: readonly number[];
}

const file = path.resolve(import.meta.dirname, '../../../fixtures/measured/training.jsonl.gz');
const traces = gunzipSync(readFileSync(file))
  .toString('utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as RecordedTrace);
const named = traces.map((trace) => [describeRun(trace), trace] as const);

describe('recorded steps', () => {
  test.each(named)('%s', (_name, trace) => {
    const log = playTrace('', trace);
    const phases = compareTrace(trace, log).filter(({ phase }) => phase !== 'build');
    expect(phases.filter(({ difference }) => difference !== null)).toEqual([]);
    const measured = measuredPhases(trace);
    expect(playedPhases(log, measured)).toEqual(measured);
  });
});

/** What the allocator reserved after each event that took or gave back a segment, and its peak in the last step. */
function replay(
  trace: RecordedTrace,
  addressOrder: 'falling' | 'rising',
): { differing: number; peak: number } {
  const allocator = new CachingAllocator({ expandableSegments: false, limitBytes: null, addressOrder });
  const blocks = new Map<number, number>();
  let reserved = 0;
  let differing = 0;
  trace.events.forEach(([code, bytes, value, stream], index) => {
    if (code === 2) reserved += bytes;
    if (code === 3) reserved -= bytes;
    if (code === 1) {
      blocks.set(index, allocator.allocate(bytes, stream ?? 0));
      if (allocator.reservedBytes !== reserved) differing++;
    }
    const freed = code === 0 ? blocks.get(Number(value)) : undefined;
    if (freed !== undefined) allocator.free(freed);
    if (code === 9 && value === 'build') allocator.emptyCache();
    if (code === 9 && value === 'zero_grad 1') allocator.resetPeak();
  });
  return { differing, peak: allocator.allocatedPeakBytes };
}

describe('the caching allocator', () => {
  test.each(named)('takes the segments that PyTorch took: %s', (_name, trace) => {
    const orders = (['falling', 'rising'] as const).map((order) => replay(trace, order));
    // Which order the driver gives addresses in decides ties between equal blocks.
    expect(Math.min(...orders.map(({ differing }) => differing))).toBe(0);
    const measured = trace.peak_alloc[1] ?? 0;
    const error = Math.min(...orders.map(({ peak }) => Math.abs(peak / measured - 1)));
    expect(error).toBeLessThan(0.0015);
  });
});
