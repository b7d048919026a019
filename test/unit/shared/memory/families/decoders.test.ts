/**
 * Plays two steps of two-layer models of every decoder family that was measured and compares them with what PyTorch allocated:
 * the order of allocations and frees, the peak of each phase, and what a layer keeps for backward.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { describeRun } from '../../../../accuracy/measured';
import { measuredPhases, playedPhases, type PhaseBytes } from '../../../../accuracy/phases';
import { compareTrace, type MeasuredTrace, peakError, playTrace } from '../../../../accuracy/traces';

const file = path.resolve(import.meta.dirname, '../../../../fixtures/measured/decoder-traces.jsonl.gz');
const traces = gunzipSync(readFileSync(file))
  .toString('utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as MeasuredTrace);

/** Bytes that one of the two layers keeps from its forward to its backward, with its share of what stands around the layers. */
function keptPerLayer(phases: readonly PhaseBytes[]): number {
  const at = (phase: string): number => phases.find((entry) => entry.phase === phase)?.endBytes ?? Number.NaN;
  return (at('forward 2') - at('zero_grad 1')) / 2;
}

describe('decoder families, against measured steps', () => {
  it('has one or two traces of every family', () => {
    expect(traces).toHaveLength(64);
    expect(new Set(traces.map(({ model }) => model)).size).toBe(33);
  });

  it.each(traces.map((trace) => [describeRun(trace), trace] as const))('%s', (_name, trace) => {
    const log = playTrace('', trace);
    const measured = measuredPhases(trace);
    const played = playedPhases(log, measured);
    expect(played).toEqual(measured);
    expect(keptPerLayer(played)).toBe(keptPerLayer(measured));
    const differing = compareTrace(trace, log).filter(
      ({ phase, difference }) => phase !== 'build' && difference !== null,
    );
    expect(differing.map(({ phase, around }) => [phase, ...around])).toEqual([]);
    // What is left is where the model's build leaves gaps in segments.
    expect(Math.abs(peakError(trace, log) ?? Number.NaN)).toBeLessThan(0.001);
  });
});
