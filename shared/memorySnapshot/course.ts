/** The course of a device's memory, thinned out to what a chart can show, with what it was for. */
import { memoryKinds } from '../memory/tape/log';
import { actionNumber } from './records';
import type { DeviceHistory } from './replay';

const allocated = actionNumber('alloc');
const freeRequested = actionNumber('free_requested');

export interface CoursePoint {
  /** The entry after which this is allocated. */
  readonly event: number;
  /** Since the first entry; the number of the entry where the file has no times. */
  readonly seconds: number;
  readonly allocatedBytes: number;
  readonly reservedBytes: number;
  /** In the order of `memoryKinds`, and what is unknown last. */
  readonly byKind: readonly number[];
}

/** At most `limit` points of the entries `from` to `to`: of each stretch the lowest and the highest, so that no peak is lost. */
export function courseOf(
  history: DeviceHistory,
  kinds: Uint8Array,
  { from, to }: { readonly from: number; readonly to: number },
  limit: number,
): readonly CoursePoint[] {
  const chosen = chooseEvents(history.allocatedBytes, from, to, limit);
  const byKind = new Float64Array(memoryKinds.length + 1);
  const add = (kind: number | undefined, bytes: number): void => {
    byKind[kind ?? 0] = (byKind[kind ?? 0] ?? 0) + bytes;
  };
  history.allocations.forEach(({ allocatedAt, bytes, freedAt }, id) => {
    if (allocatedAt < from && freedAt >= from) add(kinds[id], bytes);
  });
  const points: CoursePoint[] = [];
  let next = 0;
  for (let event = from; event < to && next < chosen.length; event++) {
    const id = history.allocationOf[event] ?? -1;
    const bytes = history.allocations[id]?.bytes ?? 0;
    const action = history.trace.action[event];
    if (action === allocated) add(kinds[id], bytes);
    else if (action === freeRequested) add(kinds[id], -bytes);
    if (chosen[next] !== event) continue;
    next++;
    points.push({
      event,
      seconds: secondsAt(history, event),
      allocatedBytes: history.allocatedBytes[event] ?? 0,
      reservedBytes: history.reservedBytes[event] ?? 0,
      byKind: [...byKind],
    });
  }
  return points;
}

/** Seconds from the first entry to this one; its number where the file has no times. */
export function secondsAt({ trace }: DeviceHistory, event: number): number {
  const start = trace.timeUs[0] ?? Number.NaN;
  return Number.isNaN(start) ? event : ((trace.timeUs[event] ?? start) - start) / 1e6;
}

function chooseEvents(
  allocatedBytes: Float64Array,
  from: number,
  to: number,
  limit: number,
): readonly number[] {
  const length = to - from;
  if (length <= limit) return Array.from({ length: Math.max(0, length) }, (_, offset) => from + offset);
  const chosen = new Set<number>([from, to - 1]);
  const stretches = Math.max(1, Math.floor((limit - 2) / 2));
  for (let stretch = 0; stretch < stretches; stretch++) {
    const start = from + Math.floor((stretch * length) / stretches);
    const end = from + Math.floor(((stretch + 1) * length) / stretches);
    let [low, high] = [start, start];
    for (let event = start; event < end; event++) {
      if ((allocatedBytes[event] ?? 0) < (allocatedBytes[low] ?? 0)) low = event;
      if ((allocatedBytes[event] ?? 0) > (allocatedBytes[high] ?? 0)) high = event;
    }
    chosen.add(low);
    chosen.add(high);
  }
  return [...chosen].sort((a, b) => a - b);
}
