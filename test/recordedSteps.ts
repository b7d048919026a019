/**
 * Plays steps of small models that were recorded and compares them with what PyTorch allocated: the order of allocations and
 * frees, the peak of each phase, and what stays for backward.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { describeRun } from './accuracy/measured';
import { measuredPhases, playedPhases, type PhaseBytes } from './accuracy/phases';
import { compareTrace, type MeasuredTrace, peakError, playTrace } from './accuracy/traces';

/** The traces of `test/fixtures/measured/NAME.jsonl.gz`. */
export function recordedSteps(name: string): readonly MeasuredTrace[] {
  const file = path.resolve(import.meta.dirname, 'fixtures/measured', `${name}.jsonl.gz`);
  return gunzipSync(readFileSync(file))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as MeasuredTrace);
}

/** Bytes that each of `layers` layers keeps from its forward to its backward, with its share of what stands around them. */
function keptPerLayer(phases: readonly PhaseBytes[], layers: number): number {
  const at = (phase: string): number => phases.find((entry) => entry.phase === phase)?.endBytes ?? Number.NaN;
  return (at('forward 2') - at('zero_grad 1')) / layers;
}

/**
 * One test for each trace. Bytes as they were asked for agree exactly; `peakTolerance` is for the peak of whole blocks, which also
 * depends on the gaps that the model's build left in segments.
 */
export function playsAsRecorded(
  traces: readonly MeasuredTrace[],
  layersOf: (model: string) => number,
  peakTolerance = 0.001,
): void {
  it.each(traces.map((trace) => [describeRun(trace), trace] as const))('%s', (_name, trace) => {
    const layers = layersOf(trace.model);
    const log = playTrace('', trace);
    const measured = measuredPhases(trace);
    const played = playedPhases(log, measured);
    expect(played).toEqual(measured);
    expect(keptPerLayer(played, layers)).toBe(keptPerLayer(measured, layers));
    const differing = compareTrace(trace, log).filter(
      ({ phase, difference }) => phase !== 'build' && difference !== null,
    );
    expect(differing.map(({ phase, around }) => [phase, ...around])).toEqual([]);
    expect(Math.abs(peakError(trace, log) ?? Number.NaN)).toBeLessThan(peakTolerance);
  });
}
