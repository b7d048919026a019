import type { Forecast, Snapshot } from '../../contract/snapshot';
import { outlook } from './outlook';
import { remember, type MemorySample } from './series';

/** What is remembered of each process on each card, by pid and card. */
export type ForecastMemory = ReadonlyMap<string, readonly MemorySample[]>;

export const noForecasts: ForecastMemory = new Map();

/**
 * The outlook of every process that holds memory, from its own history: a card fills because a process grows, and what
 * is free for a process is what it holds and what is free on its card. Processes that ended are forgotten at once, so a
 * reused pid begins anew.
 */
export function trackForecasts(
  memory: ForecastMemory,
  snapshot: Snapshot,
): { readonly memory: ForecastMemory; readonly forecasts: readonly Forecast[] } {
  const next = new Map<string, readonly MemorySample[]>();
  const forecasts: Forecast[] = [];
  for (const { pid, gpuIndex, usedBytes } of snapshot.processes) {
    const card = snapshot.cards.find(({ index }) => index === gpuIndex);
    if (pid === null || gpuIndex === null || usedBytes === null || card === undefined || card.lost) continue;
    const key = `${pid}/${gpuIndex}`;
    if (next.has(key)) continue;
    const history = remember(memory.get(key) ?? [], { t: snapshot.time, bytes: usedBytes });
    next.set(key, history);
    if (card.memoryFreeBytes === null) continue;
    forecasts.push({ gpuIndex, pid, ...outlook(history, usedBytes + card.memoryFreeBytes) });
  }
  return { memory: next, forecasts };
}
