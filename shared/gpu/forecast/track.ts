import type { Card, Forecast, Snapshot } from '../../contract/snapshot';
import { outlook, type Outlook } from './outlook';
import { noPast, remember, seriesOf, type MemoryPast } from './series';

/** What is remembered of one process on one card. */
interface Tracked {
  readonly past: MemoryPast;
  /** What was made of the past when it was last judged; null before the first time. */
  readonly outlook: Outlook | null;
  readonly judgedAt: number;
  readonly work: WorkSeen;
}

/** Whether the card computed for this process, by the looks at which it was this process's alone. */
interface WorkSeen {
  readonly looks: number;
  /** At which share of the newest of them it computed, 0 to 1; older looks count for less and less. */
  readonly computingShare: number;
}

/** What is remembered of each process on each card, by `trackKey`. */
export type ForecastMemory = ReadonlyMap<number, Tracked>;

export const noForecasts: ForecastMemory = new Map();

/**
 * So many pasts are judged anew at one moment, those judged longest ago first. Machines with fewer changing
 * processes than this have each judged every second; 128 ranks whose memory never rests take seven seconds, which a
 * forecast of minutes can wait for, and keep the rules of a tick under two milliseconds.
 */
const judgedAtOnce = 20;

interface Candidate extends Tracked {
  readonly key: number;
  readonly gpuIndex: number;
  readonly pid: number;
  /** What the process may take: what it holds and what is free on its card; null where that is not known. */
  readonly capacityBytes: number | null;
}

/** One number for a process on a card: pids have 22 bits at most on Linux and 32 on Windows. */
export function trackKey(pid: number, gpuIndex: number): number {
  return pid * 1024 + gpuIndex;
}

/**
 * The outlook of every process that holds memory, from its own past: a card fills because a process grows, and what
 * is free for a process is what it holds and what is free on its card. Processes that ended are forgotten at once, so a
 * reused pid begins anew.
 */
export function trackForecasts(
  memory: ForecastMemory,
  snapshot: Snapshot,
): { readonly memory: ForecastMemory; readonly forecasts: readonly Forecast[] } {
  const now = snapshot.time;
  const candidates = candidatesOf(memory, snapshot);
  const due = dueAmong(candidates);
  const next = new Map<number, Tracked>();
  const forecasts: Forecast[] = [];
  for (const candidate of candidates) {
    const { key, capacityBytes, gpuIndex, pid } = candidate;
    const isJudged = capacityBytes !== null && (due.has(candidate) || isFlat(candidate));
    const tracked = isJudged ? judged(candidate, capacityBytes, now) : candidate;
    next.set(key, tracked);
    if (tracked.outlook === null || capacityBytes === null) continue;
    const { etaSeconds } = tracked.outlook;
    const { state, slopeBytesPerSecond, risingForSeconds, willFill, mayBeLoading } = tracked.outlook;
    forecasts.push({
      gpuIndex,
      pid,
      state,
      slopeBytesPerSecond,
      risingForSeconds,
      willFill,
      mayBeLoading,
      etaSeconds: etaSeconds === null ? null : Math.max(0, etaSeconds - (now - tracked.judgedAt)),
    });
  }
  return { memory: next, forecasts };
}

function judged({ past, work }: Candidate, capacityBytes: number, now: number): Tracked {
  return { past, work, outlook: outlook(seriesOf(past), capacityBytes, computes(work)), judgedAt: now };
}

function dueAmong(candidates: readonly Candidate[]): ReadonlySet<Candidate> {
  const restless = candidates.filter((one) => one.capacityBytes !== null && !isFlat(one));
  if (restless.length <= judgedAtOnce) return new Set(restless);
  return new Set(restless.sort((a, b) => a.judgedAt - b.judgedAt).slice(0, judgedAtOnce));
}

function candidatesOf(memory: ForecastMemory, snapshot: Snapshot): readonly Candidate[] {
  const cards = new Map(snapshot.cards.map((card) => [card.index, card]));
  const holders = holdersByCard(snapshot);
  const seen = new Set<number>();
  const candidates: Candidate[] = [];
  for (const { pid, gpuIndex, usedBytes } of snapshot.processes) {
    const card = gpuIndex === null ? undefined : cards.get(gpuIndex);
    if (pid === null || gpuIndex === null || usedBytes === null || card === undefined || card.lost) continue;
    const key = trackKey(pid, gpuIndex);
    if (seen.has(key)) continue;
    seen.add(key);
    const before = memory.get(key);
    candidates.push({
      key,
      gpuIndex,
      pid,
      past: remember(before?.past ?? noPast, { t: snapshot.time, bytes: usedBytes }),
      outlook: before?.outlook ?? null,
      judgedAt: before?.judgedAt ?? Number.NEGATIVE_INFINITY,
      work:
        holders.get(gpuIndex) === 1
          ? looked(before?.work ?? neverLooked, card)
          : (before?.work ?? neverLooked),
      capacityBytes: card.memoryFreeBytes === null ? null : usedBytes + card.memoryFreeBytes,
    });
  }
  return candidates;
}

function holdersByCard({ processes }: Snapshot): ReadonlyMap<number, number> {
  const holders = new Map<number, number>();
  for (const { gpuIndex } of processes)
    if (gpuIndex !== null) holders.set(gpuIndex, (holders.get(gpuIndex) ?? 0) + 1);
  return holders;
}

/** A level that never moved: kept as its first and last moment, and judged in no time. */
function isFlat({ past }: Tracked): boolean {
  return past.older.time.length === 0 && past.newest.time.length <= 2;
}

const neverLooked: WorkSeen = { looks: 0, computingShare: 0 };
/** Weights are copied, not computed: while they come, kernels run for a few percent of the time at most, also where they are quantized. */
const computingPercent = 30;
const leastLooks = 10;
/** A program that trains after it has loaded for minutes is known to compute after some fourteen looks. */
const newestLooks = 20;

function looked({ looks, computingShare }: WorkSeen, { utilizationPercent }: Card): WorkSeen {
  if (utilizationPercent === null) return { looks, computingShare };
  const computes = utilizationPercent >= computingPercent ? 1 : 0;
  const weight = 1 / Math.min(looks + 1, newestLooks);
  return { looks: looks + 1, computingShare: computingShare + weight * (computes - computingShare) };
}

/** Whether the card computes for the process at most looks; null where too few were the process's alone. */
function computes({ looks, computingShare }: WorkSeen): boolean | null {
  return looks < leastLooks ? null : computingShare > 0.5;
}
