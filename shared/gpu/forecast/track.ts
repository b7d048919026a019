import type { Forecast, Snapshot } from '../../contract/snapshot';
import { outlook, type Outlook } from './outlook';
import { remember, type MemorySample } from './series';

/** What is remembered of one process on one card. */
interface Tracked {
  readonly history: readonly MemorySample[];
  /** What was made of the history when it was last judged; null before the first time. */
  readonly outlook: Outlook | null;
  readonly judgedAt: number;
}

/** What is remembered of each process on each card, by pid and card. */
export type ForecastMemory = ReadonlyMap<string, Tracked>;

export const noForecasts: ForecastMemory = new Map();

/**
 * So many histories are judged anew at one moment, those judged longest ago first. Machines with fewer changing
 * processes than this have each judged every second; 128 ranks whose memory never rests take seven seconds, which a
 * forecast of minutes can wait for, and keep the rules of a tick under two milliseconds.
 */
const judgedAtOnce = 20;

interface Candidate extends Tracked {
  readonly key: string;
  readonly gpuIndex: number;
  readonly pid: number;
  /** What the process may take: what it holds and what is free on its card; null where that is not known. */
  readonly capacityBytes: number | null;
}

/**
 * The outlook of every process that holds memory, from its own history: a card fills because a process grows, and what
 * is free for a process is what it holds and what is free on its card. Processes that ended are forgotten at once, so a
 * reused pid begins anew.
 */
export function trackForecasts(
  memory: ForecastMemory,
  snapshot: Snapshot,
): { readonly memory: ForecastMemory; readonly forecasts: readonly Forecast[] } {
  const now = snapshot.time;
  const candidates = candidatesOf(memory, snapshot);
  const due = new Set(
    candidates
      .filter(({ capacityBytes, history }) => capacityBytes !== null && !isFlat(history))
      .toSorted((a, b) => a.judgedAt - b.judgedAt)
      .slice(0, judgedAtOnce),
  );
  const next = new Map<string, Tracked>();
  const forecasts: Forecast[] = [];
  for (const candidate of candidates) {
    const { key, history, capacityBytes, gpuIndex, pid } = candidate;
    const isDue = due.has(candidate) || isFlat(history);
    const judged = isDue && capacityBytes !== null ? outlook(history, capacityBytes) : candidate.outlook;
    const judgedAt = isDue ? now : candidate.judgedAt;
    next.set(key, { history, outlook: judged, judgedAt });
    if (judged === null || capacityBytes === null) continue;
    const { etaSeconds } = judged;
    forecasts.push({
      gpuIndex,
      pid,
      ...judged,
      etaSeconds: etaSeconds === null ? null : Math.max(0, etaSeconds - (now - judgedAt)),
    });
  }
  return { memory: next, forecasts };
}

function candidatesOf(memory: ForecastMemory, snapshot: Snapshot): readonly Candidate[] {
  const cards = new Map(snapshot.cards.map((card) => [card.index, card]));
  const seen = new Map<string, Candidate>();
  for (const { pid, gpuIndex, usedBytes } of snapshot.processes) {
    const card = gpuIndex === null ? undefined : cards.get(gpuIndex);
    if (pid === null || gpuIndex === null || usedBytes === null || card === undefined || card.lost) continue;
    const key = `${pid}/${gpuIndex}`;
    if (seen.has(key)) continue;
    const before = memory.get(key);
    seen.set(key, {
      key,
      gpuIndex,
      pid,
      history: remember(before?.history ?? [], { t: snapshot.time, bytes: usedBytes }),
      outlook: before?.outlook ?? null,
      judgedAt: before?.judgedAt ?? Number.NEGATIVE_INFINITY,
      capacityBytes: card.memoryFreeBytes === null ? null : usedBytes + card.memoryFreeBytes,
    });
  }
  return [...seen.values()];
}

/** A level that never moved: kept as its first and last moment, and judged in no time. */
function isFlat(history: readonly MemorySample[]): boolean {
  return history.length <= 2;
}
