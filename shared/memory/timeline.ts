/** The course of a step's memory, thinned out to what a chart can show. */
import type { LogRange } from './play';
import {
  type AllocationLog,
  allocationOf,
  isAllocation,
  isFree,
  kindIndex,
  type MemoryKind,
} from './tape/log';
import { type Phase, phaseOfMoment } from './tape/marks';

const gradientsKind = kindIndex('gradients');

/** Allocated bytes by what they are for. */
export type BytesByKind = Readonly<Record<MemoryKind, number>>;

/** What is allocated at a moment of the step. */
export interface TimelinePoint {
  readonly phase: Phase;
  /** The module or step that worked. */
  readonly at: string;
  readonly allocatedBytes: number;
  readonly byKind: BytesByKind;
}

/** A recorded step: its events, what of them is skipped, and what each left allocated. */
export interface RecordedStep {
  readonly range: LogRange;
  readonly skipped: Uint8Array | null;
  readonly allocated: Float64Array;
  /** Bytes by kind when the step began, and the bytes of each allocation's block. */
  readonly before: Float64Array;
  readonly blockBytes: Float64Array;
}

/**
 * At most `limit` points of a step, in order: of each stretch of events the lowest and the highest, so that no peak is lost,
 * and the last of each phase, so that what a phase leaves behind is exact. A phase that allocates and frees nothing has one
 * point, without a place.
 */
export function timelineOf(log: AllocationLog, step: RecordedStep, limit: number): readonly TimelinePoint[] {
  const silent = silentPhases(log, step.range);
  const chosen = chooseEvents(step.allocated, phaseEnds(log, step.range), limit - silent.length);
  const points: TimelinePoint[] = [];
  const byKind = Float64Array.from(step.before);
  const kinds = new Map<number, number>();
  let next = 0;
  let nextSilent = 0;
  const addSilent = (until: number): void => {
    for (let phase = silent[nextSilent]; phase !== undefined && phase.event <= until;) {
      const last = points[points.length - 1];
      if (last !== undefined) points.push({ ...last, phase: phase.phase, at: '' });
      phase = silent[++nextSilent];
    }
  };
  for (let offset = 0; offset < step.allocated.length && next < chosen.length; offset++) {
    count(log, step, byKind, kinds, step.range.start + offset);
    if (chosen[next] !== offset) continue;
    const event = step.range.start + offset;
    addSilent(event);
    points.push({
      phase: phaseOf(log, event),
      at: placeAt(log, event),
      allocatedBytes: step.allocated[offset] ?? 0,
      byKind: namedKinds(byKind),
    });
    next++;
  }
  addSilent(Infinity);
  return points;
}

/** Phases of the range in which nothing was allocated or freed, with the event before which they lie. */
function silentPhases(
  log: AllocationLog,
  { end, start }: LogRange,
): readonly { readonly phase: Phase; readonly event: number }[] {
  return log.marks.flatMap(({ event, moment }, index) => {
    const phase = phaseOfMoment(moment);
    const isWithin = event > start && event <= end;
    return phase !== null && isWithin && log.marks[index - 1]?.event === event ? [{ phase, event }] : [];
  });
}

function count(
  log: AllocationLog,
  step: RecordedStep,
  byKind: Float64Array,
  kinds: Map<number, number>,
  event: number,
): void {
  const code = log.code(event);
  const id = allocationOf(code);
  const bytes = step.blockBytes[id] ?? 0;
  const add = (kind: number, change: number): void => {
    byKind[kind] = (byKind[kind] ?? 0) + change;
  };
  if (isAllocation(code)) {
    if (step.skipped !== null && step.skipped[id] === 1) return;
    add(log.kind(id), bytes);
  } else if (isFree(code)) add(kinds.get(id) ?? log.kind(id), -bytes);
  else {
    add(kinds.get(id) ?? log.kind(id), -bytes);
    add(gradientsKind, bytes);
    kinds.set(id, gradientsKind);
  }
}

/** Offsets of the last event of each phase. */
function phaseEnds(log: AllocationLog, { end, start }: LogRange): readonly number[] {
  return log.marks.map(({ event }) => event - 1 - start).filter((last) => last >= 0 && last < end - start);
}

/** Offsets of the events to show, ascending: those that must be there, and for each stretch the lowest and the highest. */
function chooseEvents(allocated: Float64Array, wanted: readonly number[], limit: number): readonly number[] {
  const { length } = allocated;
  if (length <= limit) return Array.from({ length }, (_, offset) => offset);
  // A step of very many micro-batches has more phases than half of the points; then the course alone is shown.
  const chosen = new Set<number>(wanted.length <= limit / 2 ? wanted : []);
  const stretches = Math.floor((limit - chosen.size) / 2);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const start = Math.floor((stretch * length) / stretches);
    const end = Math.floor(((stretch + 1) * length) / stretches);
    let [low, high] = [start, start];
    for (let offset = start; offset < end; offset++) {
      if ((allocated[offset] ?? 0) < (allocated[low] ?? 0)) low = offset;
      if ((allocated[offset] ?? 0) > (allocated[high] ?? 0)) high = offset;
    }
    chosen.add(low);
    chosen.add(high);
  }
  return [...chosen].sort((a, b) => a - b);
}

/** Bytes in the order of `memoryKinds` by their names. */
export function namedKinds(byKind: Float64Array): BytesByKind {
  const [
    parameters = 0,
    gradients = 0,
    optimizer = 0,
    activations = 0,
    logits = 0,
    buffers = 0,
    workspace = 0,
  ] = byKind;
  return { parameters, gradients, optimizer, activations, logits, buffers, workspace };
}

/** The phase that an event lies in; marks stand at the phases' ends. */
export function phaseOf(log: AllocationLog, event: number): Phase {
  for (const mark of log.marks) {
    if (mark.event <= event) continue;
    const phase = phaseOfMoment(mark.moment);
    if (phase !== null) return phase;
  }
  return 'forward';
}

/** The module or step that made the allocation of this event, or the last one before it. */
export function placeAt(log: AllocationLog, event: number): string {
  for (let before = event; before >= 0; before--) {
    const code = log.code(before);
    if (isAllocation(code)) return log.placeName(log.placeIndex(allocationOf(code)));
  }
  return '';
}
