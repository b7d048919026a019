/** Finds the training steps in a history without being told where they are. */
import type { DeviceHistory } from './replay';
import type { Annotation } from './records';
import type { StackRole, StackRoles } from './stackRoles';

/** A run of entries, `from` included, `to` not. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What an entry belongs to, where its stack or an annotation says so. */
export interface StepMarks {
  /** The optimizer's steps, in order. */
  readonly optimizer: readonly Span[];
  readonly zeroGrad: readonly Span[];
  /** How they were found; null: not at all. */
  readonly foundBy: 'annotations' | 'stacks' | null;
}

/**
 * The optimizer's steps: as PyTorch annotated them (`Optimizer.step#AdamW.step`, since 2.6), else by the stacks of what was
 * allocated and freed. An optimizer that allocates nothing in its step is found by the gradients that are freed after it.
 */
export function stepMarks(
  history: DeviceHistory,
  annotations: readonly Annotation[],
  device: number,
  roles: StackRoles,
): StepMarks {
  const annotated = fromAnnotations(
    history,
    annotations.filter((annotation) => annotation.device === device),
  );
  if (annotated !== null) return annotated;
  const optimizer = runsOf(history, roles, 'optimizer');
  const zeroGrad = runsOf(history, roles, 'zero_grad');
  const marks = optimizer.length >= zeroGrad.length ? optimizer : zeroGrad;
  return { optimizer: marks, zeroGrad, foundBy: marks.length > 0 ? 'stacks' : null };
}

function fromAnnotations(history: DeviceHistory, annotations: readonly Annotation[]): StepMarks | null {
  const optimizer = spansOf(history, annotations, /^Optimizer\.step#/);
  if (optimizer.length === 0) return null;
  return {
    optimizer,
    zeroGrad: spansOf(history, annotations, /^Optimizer\.zero_grad#/),
    foundBy: 'annotations',
  };
}

/** Of several optimizers the one that steps last in each round marks the step; they step equally often. */
function spansOf(history: DeviceHistory, annotations: readonly Annotation[], name: RegExp): readonly Span[] {
  const wanted = annotations.filter((annotation) => name.test(annotation.name));
  const last = wanted.findLast(({ isStart }) => !isStart)?.name;
  const spans: Span[] = [];
  let start: number | null = null;
  for (const annotation of wanted) {
    if (annotation.name !== last) continue;
    if (annotation.isStart) start = annotation.timeUs;
    else if (start !== null) {
      spans.push({ from: eventAt(history, start), to: eventAt(history, annotation.timeUs) });
      start = null;
    }
  }
  return spans;
}

/** The first entry at or after a time. */
export function eventAt({ trace }: DeviceHistory, timeUs: number): number {
  let [low, high] = [0, trace.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((trace.timeUs[middle] ?? 0) < timeUs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Runs of entries of one role; what is freed in between without a role of its own does not end a run. */
function runsOf({ trace }: DeviceHistory, roles: StackRoles, wanted: StackRole): readonly Span[] {
  const spans: { from: number; to: number }[] = [];
  let isOpen = false;
  for (let event = 0; event < trace.count; event++) {
    const role = roles.role(trace.stack[event] ?? 0);
    if (role === wanted) {
      const last = spans[spans.length - 1];
      if (isOpen && last !== undefined) last.to = event + 1;
      else spans.push({ from: event, to: event + 1 });
      isOpen = true;
    } else if (role !== 'unknown' && role !== 'script') isOpen = false;
  }
  return spans;
}

/** One training step. */
export interface TrainingStep extends Span {
  /** The entry after which most was allocated. */
  readonly peakAt: number;
  readonly peakBytes: number;
  /** What is left when it is over, at the lowest point before the next one begins. */
  readonly restBytes: number;
  /** The entry of that lowest point; `to` is the next. */
  readonly restAt: number;
}

/**
 * Steps end where least is allocated between one optimizer's step and the next: there gradients and activations are gone, and
 * what is there stays. The last run of entries, after the last of these points, is no whole step.
 */
export function stepsOf(history: DeviceHistory, marks: StepMarks): readonly TrainingStep[] {
  const steps: TrainingStep[] = [];
  let from = 0;
  marks.optimizer.forEach(({ to }, index) => {
    const until = marks.optimizer[index + 1]?.from ?? history.trace.count;
    const restAt = lowestIn(history, Math.max(0, to - 1), Math.max(to, until));
    const peakAt = highestIn(history, from, restAt + 1);
    steps.push({
      from,
      to: restAt + 1,
      peakAt,
      peakBytes: history.allocatedBytes[peakAt] ?? 0,
      restAt,
      restBytes: history.allocatedBytes[restAt] ?? 0,
    });
    from = restAt + 1;
  });
  return steps;
}

/** The first entry after which most is allocated. */
export function highestIn({ allocatedBytes }: DeviceHistory, from: number, to: number): number {
  let highest = from;
  for (let event = from; event < to; event++)
    if ((allocatedBytes[event] ?? 0) > (allocatedBytes[highest] ?? 0)) highest = event;
  return highest;
}

function lowestIn({ allocatedBytes }: DeviceHistory, from: number, to: number): number {
  let lowest = from;
  for (let event = from; event < Math.min(to, allocatedBytes.length); event++)
    if ((allocatedBytes[event] ?? 0) < (allocatedBytes[lowest] ?? 0)) lowest = event;
  return lowest;
}
