/** The phases of a step in a history, in the names of the memory engine. */
import type { Phase } from '../memory/tape/marks';
import type { DeviceHistory } from './replay';
import type { StackRoles } from './stackRoles';
import type { StepMarks, TrainingStep } from './steps';

export interface StepPhase {
  readonly phase: Phase;
  /** The entry after which most was allocated. */
  readonly peakAt: number;
  readonly peakBytes: number;
  readonly endBytes: number;
}

/** The phases that a step went through, in their order; runs of one phase count as one. Without stacks only what is annotated. */
export function phasesOf(
  history: DeviceHistory,
  step: TrainingStep,
  marks: StepMarks,
  roles: StackRoles,
): readonly StepPhase[] {
  const optimizer = marks.optimizer.find(({ from }) => from >= step.from && from < step.to);
  const phases = new Map<Phase, { peakAt: number; peakBytes: number; endBytes: number }>();
  let current: Phase | null = null;
  for (let event = step.from; event < step.to; event++) {
    current = phaseAt(event, current);
    if (current === null) continue;
    const bytes = history.allocatedBytes[event] ?? 0;
    const phase = phases.get(current);
    if (phase === undefined) {
      // What the phase before left is still there when this one begins.
      const left = event === 0 ? history.startAllocatedBytes : (history.allocatedBytes[event - 1] ?? 0);
      const [peakAt, peakBytes] = left > bytes ? [event - 1, left] : [event, bytes];
      phases.set(current, { peakAt, peakBytes, endBytes: bytes });
    } else {
      phase.endBytes = bytes;
      if (bytes > phase.peakBytes) [phase.peakAt, phase.peakBytes] = [event, bytes];
    }
  }
  return [...phases].map(([phase, values]) => ({ phase, ...values }));

  function phaseAt(event: number, before: Phase | null): Phase | null {
    if (optimizer !== undefined && event >= optimizer.to) return 'zero_grad';
    if (optimizer !== undefined && event >= optimizer.from) return 'optimizer';
    switch (roles.role(history.trace.stack[event] ?? 0)) {
      case 'forward':
      case 'loss':
        return 'forward';
      case 'backward':
      case 'backward-of-loss':
      case 'recompute':
        return 'backward';
      case 'clip':
        return 'clip';
      default:
        return before;
    }
  }
}
