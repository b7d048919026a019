/** Sums a recorded or a played step up by phase: the most that was allocated, and what stayed at its end. */
import { rangeBetween } from '../../shared/memory/play';
import { type AllocationLog, allocationOf, isAllocation, isFree } from '../../shared/memory/tape/log';
import type { Moment } from '../../shared/memory/tape/marks';
import { type MeasuredTrace, momentOf } from './traces';

/** Bytes as they were asked for, counted from the end of `data`. */
export interface PhaseBytes {
  readonly phase: string;
  readonly peakBytes: number;
  readonly endBytes: number;
}

/** A trace from process start, whose marks are `build`, `data`, `forward 1` and so on. */
export function measuredPhases(trace: MeasuredTrace): readonly PhaseBytes[] {
  const counter = new PhaseCounter();
  for (const [code, bytes, label] of trace.events) {
    if (code === 9) counter.end(String(label));
    else if (code === 1) counter.change(bytes);
    else if (code === 0) counter.change(-bytes);
  }
  return counter.phases;
}

/** The same phases of a played run. */
export function playedPhases(log: AllocationLog, phases: readonly PhaseBytes[]): readonly PhaseBytes[] {
  const counter = new PhaseCounter();
  let previous: Moment | null = null;
  for (const phase of ['build', 'data', ...phases.map((entry) => entry.phase)]) {
    const moment = momentOf(phase);
    const { start, end } = rangeBetween(log, previous, moment);
    for (let event = start; event < end; event++) {
      const code = log.code(event);
      if (isAllocation(code)) counter.change(log.bytes(allocationOf(code)));
      else if (isFree(code)) counter.change(-log.bytes(allocationOf(code)));
    }
    counter.end(phase);
    previous = moment;
  }
  return counter.phases;
}

class PhaseCounter {
  readonly phases: PhaseBytes[] = [];
  private bytes = 0;
  private peak = 0;

  change(bytes: number): void {
    this.bytes += bytes;
    this.peak = Math.max(this.peak, this.bytes);
  }

  /** The phases before the first step only set the beginning. */
  end(phase: string): void {
    if (phase === 'build' || phase === 'data') this.bytes = 0;
    else this.phases.push({ phase, peakBytes: this.peak, endBytes: this.bytes });
    this.peak = this.bytes;
  }
}
