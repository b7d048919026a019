/**
 * Compares the simulation with recorded steps, event by event: allocations must come in the same order with the same bytes,
 * and between two allocations the same bytes must be freed.
 */
import type { Architecture } from '../../shared/model/architecture';
import { H200 } from '../../shared/gpu/models';
import { forwardOf } from '../../shared/memory/chooseForward';
import { AllocationLog, allocationOf, isAllocation, isFree } from '../../shared/memory/tape/log';
import { modelBuilt, endOf, batchLoaded, type Moment, phaseNames } from '../../shared/memory/tape/marks';
import { Tape } from '../../shared/memory/tape/tape';
import { HALF } from '../../shared/memory/tape/tensor';
import { pixelsOf } from '../../shared/memory/training/batch';
import { partOf } from '../../shared/memory/training/part';
import { TrainingRun } from '../../shared/memory/training/run';
import { LogPlayer, rangeBetween } from '../../shared/memory/play';
import { architectureOf, type MeasuredRun, settingsOf, spreadOf } from './measured';

export interface MeasuredTrace extends MeasuredRun {
  /** Allocated peak of each step; in `traces.jsonl`, which has one step, absent. */
  readonly peak_alloc?: readonly number[];
  readonly names: readonly string[];
  readonly events: readonly (readonly [number, number, (number | string)?, number?])[];
}

interface TraceEvent {
  readonly text: string;
  readonly bytes: number;
  readonly frees: boolean;
  readonly where: string;
}

export interface PhaseComparison {
  readonly phase: string;
  readonly events: number;
  /** Index of the first difference; null where all agree. */
  readonly difference: number | null;
  /** Lines around the difference, measured left, played right. */
  readonly around: readonly string[];
}

/** Plays the trace's run for three steps. */
export function playTrace(folder: string, trace: MeasuredTrace): AllocationLog {
  const architecture = architectureOf(folder, trace);
  const forward = forwardOf(architecture.family);
  if (forward === null) throw new Error(`no forward for ${architecture.family}`);
  const log = new AllocationLog();
  const spread = spreadOf(architecture, trace);
  const settings = { ...settingsOf(trace), pixels: recordedPixels(architecture, trace) };
  const run = new TrainingRun(new Tape(log, H200), partOf(architecture, spread), forward, settings, spread);
  for (let step = 0; step < 3; step++) run.step();
  return log;
}

/** Whether a trace's batch has its pixels in the weights' type: some programs made them so, others as image processors do. */
function recordedPixels({ stacks }: Architecture, { batch, events }: MeasuredTrace): 'fp32' | 'weights' {
  const build = events.findIndex(([code, , label]) => code === 9 && label === 'build');
  const data = events.findIndex(([code, , label]) => code === 9 && label === 'data');
  const bytes = batch * pixelsOf(stacks) * HALF;
  return events.slice(build, data).some(([code, size]) => code === 1 && size === bytes) ? 'weights' : 'fp32';
}

/** The moment that a recorded mark names: `build`, `data`, `forward 1` and so on. */
export function momentOf(label: string): Moment {
  if (label === 'build') return modelBuilt;
  if (label === 'data') return batchLoaded;
  const [name, step] = label.split(' ');
  const phase = phaseNames.find((known) => known === name);
  if (phase === undefined || step === undefined) throw new Error(`no moment of a run: ${label}`);
  return endOf(phase, Number(step));
}

/** Relative error of the second step's allocated peak; null where the trace has none. */
export function peakError(trace: MeasuredTrace, log: AllocationLog): number | null {
  const measured = trace.peak_alloc?.[1];
  if (measured === undefined) return null;
  const player = new LogPlayer(log, { expandableSegments: false, addressOrder: 'falling', limitBytes: null });
  player.play(rangeBetween(log, null, modelBuilt));
  player.allocator.emptyCache();
  player.play(rangeBetween(log, modelBuilt, endOf('zero_grad', 1)));
  player.resetPeak();
  player.play(rangeBetween(log, endOf('zero_grad', 1), endOf('zero_grad', 2)));
  return player.allocator.allocatedPeakBytes / measured - 1;
}

/** Compares every phase. A trace from process start has numbered marks; one of a warm step is compared with step 3. */
export function compareTrace(trace: MeasuredTrace, log: AllocationLog): readonly PhaseComparison[] {
  const marks = trace.events.flatMap(([code, , label]) => (code === 9 ? [String(label)] : []));
  const numbered = marks.some((mark) => mark.endsWith(' 1'));
  let cursor = 0;
  let previous = numbered ? null : endOf('zero_grad', 2);
  return marks.map((mark) => {
    const label = numbered ? mark : `${mark} 3`;
    const measured: TraceEvent[] = [];
    for (; cursor < trace.events.length; cursor++) {
      const event = trace.events[cursor];
      if (event === undefined || event[0] === 9) break;
      const [code, bytes, name] = event;
      if (code === 1) measured.push(allocation(bytes, `${cursor} ${trace.names[Number(name)] ?? ''}`));
      else if (code === 0) measured.push(freeing(bytes, String(cursor)));
    }
    cursor++;
    const played = playedEvents(log, previous, momentOf(label));
    previous = momentOf(label);
    return comparePhase(label, inOrder(measured), inOrder(played));
  });
}

function playedEvents(log: AllocationLog, from: Moment | null, to: Moment): TraceEvent[] {
  const { start, end } = rangeBetween(log, from, to);
  const events: TraceEvent[] = [];
  for (let event = start; event < end; event++) {
    const code = log.code(event);
    const id = allocationOf(code);
    const where = log.placeName(log.placeIndex(id));
    if (isAllocation(code)) events.push(allocation(log.bytes(id), where));
    else if (isFree(code)) events.push(freeing(log.bytes(id), where));
  }
  return events;
}

const allocation = (bytes: number, where: string): TraceEvent => ({
  text: `+${bytes}`,
  bytes,
  frees: false,
  where,
});

const freeing = (bytes: number, where: string): TraceEvent => ({
  text: `-${bytes}`,
  bytes,
  frees: true,
  where,
});

/** Frees between two allocations have no order that matters: by size. */
function inOrder(events: readonly TraceEvent[]): readonly TraceEvent[] {
  const ordered: TraceEvent[] = [];
  let frees: TraceEvent[] = [];
  const flush = (): void => {
    ordered.push(...frees.sort((a, b) => a.bytes - b.bytes));
    frees = [];
  };
  for (const event of events) {
    if (event.frees) frees.push(event);
    else {
      flush();
      ordered.push(event);
    }
  }
  flush();
  return ordered;
}

function comparePhase(
  phase: string,
  measured: readonly TraceEvent[],
  played: readonly TraceEvent[],
): PhaseComparison {
  const length = Math.max(measured.length, played.length);
  for (let index = 0; index < length; index++) {
    if (measured[index]?.text === played[index]?.text) continue;
    const around: string[] = [];
    for (let line = Math.max(0, index - 8); line < Math.min(length, index + 40); line++) {
      const [left, right] = [measured[line], played[line]];
      const sign = line === index ? '>' : left?.text === right?.text ? ' ' : '*';
      around.push(
        `${sign} ${(left?.text ?? '').padEnd(13)}${(left?.where ?? '').slice(0, 70).padEnd(72)}${(right?.text ?? '').padEnd(13)}${right?.where ?? ''}`,
      );
    }
    return { phase, events: length, difference: index, around };
  }
  return { phase, events: length, difference: null, around: [] };
}
