import type { Card, GpuProcess } from '../types';
import type { Forecast } from './forecast';
import { GiB } from '../../units';
import {
  judgeCard,
  lookAt,
  noCard,
  type CardLook,
  type CardMemoryReading,
  type CardOutlook,
  type Holder,
  type Tracked,
} from './cardWatch';
import type { Announcement } from './announcement';

/** What is remembered of each card, by its index. */
export type ForecastMemory = ReadonlyMap<number, CardMemoryReading>;

/** What one look at all cards read; `time` in seconds since the epoch. */
interface CardsReading {
  readonly time: number;
  readonly cards: readonly Card[];
  readonly processes: readonly GpuProcess[];
}

export const noForecasts: ForecastMemory = new Map();

/**
 * So many pasts are judged anew at one moment, those judged longest ago first. Machines with fewer changing
 * processes than this have each judged every second; 128 ranks whose memory never rests take seven seconds, which a
 * forecast of minutes can wait for, and keep the rules of a tick under two milliseconds.
 */
const judgedAtOnce = 20;

/**
 * The outlook of every card, and of every process that holds memory of it: each is judged by its own past, and what grows on one card
 * adds up. Processes that ended are forgotten at once, so a reused pid begins anew.
 */
export function trackForecasts(
  memory: ForecastMemory,
  reading: CardsReading,
): { readonly memory: ForecastMemory; readonly forecasts: readonly Forecast[] } {
  const looks = looksOf(reading);
  const seen = looks.map((look) => ({ look, card: lookAt(memory.get(look.gpuIndex) ?? noCard, look) }));
  const due = dueAmong(
    seen.flatMap(({ look, card }) => (look.freeBytes === null ? [] : [...card.holders.values()])),
  );
  const next = new Map<number, CardMemoryReading>();
  const forecasts: Forecast[] = [];
  for (const { look, card } of seen) {
    const step = judgeCard(card, look, (tracked) => isFlat(tracked) || due.has(tracked));
    next.set(look.gpuIndex, step.memory);
    if (look.freeBytes !== null)
      forecasts.push(...forecastsOf(look, step.outlook, step.memory.announcement.standing));
  }
  return { memory: next, forecasts };
}

function dueAmong(all: readonly Tracked[]): ReadonlySet<Tracked> {
  const restless = all.filter((one) => !isFlat(one));
  if (restless.length <= judgedAtOnce) return new Set(restless);
  return new Set(restless.sort((a, b) => a.judgedAt - b.judgedAt).slice(0, judgedAtOnce));
}

/** A level that never moved: kept as its first and last moment, and judged in no time. */
function isFlat({ past }: Tracked): boolean {
  return past.older.time.length === 0 && past.newest.time.length <= 2;
}

function looksOf({ time, cards, processes }: CardsReading): readonly CardLook[] {
  const listed = new Map<number, Map<number, number>>();
  for (const { pid, gpuIndex, usedBytes } of processes) {
    if (pid === null || gpuIndex === null || usedBytes === null) continue;
    const onCard = listed.get(gpuIndex) ?? new Map<number, number>();
    if (!onCard.has(pid)) onCard.set(pid, usedBytes);
    listed.set(gpuIndex, onCard);
  }
  return cards
    .filter(({ lost }) => !lost)
    .map((card) => ({
      time,
      gpuIndex: card.index,
      freeBytes: card.memoryFreeBytes,
      utilizationPercent: card.utilizationPercent,
      holders: holdersOf(card, listed.get(card.index) ?? new Map()),
    }));
}

/** Contexts, display and driver take some hundred MiB that no process is charged with. */
const leastUnlistedBytes = GiB;

/**
 * Those who hold memory of a card: the listed processes, and as one more what is in use beside them (processes of containers, of Windows,
 * of MIG slices in a container). Of a memory that is the host's most is in use by programs that no card lists.
 */
function holdersOf(
  { memoryUsedBytes, sharesHostMemory }: Card,
  listed: ReadonlyMap<number, number>,
): readonly Holder[] {
  const holders: Holder[] = [...listed].map(([pid, bytes]) => ({ pid, bytes }));
  if (memoryUsedBytes === null || sharesHostMemory) return holders;
  const unlisted = holders.reduce((rest, { bytes }) => rest - bytes, memoryUsedBytes);
  return unlisted < leastUnlistedBytes ? holders : [...holders, { pid: null, bytes: unlisted }];
}

function forecastsOf(
  { gpuIndex, time }: CardLook,
  { fill, judged, growing }: CardOutlook,
  standing: Announcement | null,
): readonly Forecast[] {
  const growingPids = growing.flatMap((pid) => pid ?? []);
  const ofProcesses = judged.flatMap(({ pid, tracked }): readonly Forecast[] => {
    if (tracked.course === null || pid === null) return [];
    const { state, rise } = tracked.course;
    const grows = fill !== null && growing.includes(pid);
    return [
      {
        gpuIndex,
        pid,
        state,
        slopeBytesPerSecond: rise?.slopeBytesPerSecond ?? null,
        etaSeconds: grows ? fill.etaSeconds : null,
        etaRangeSeconds: grows ? fill.etaRangeSeconds : null,
        risingForSeconds: rise?.sinceSeconds ?? null,
        willFill: grows && fill.willFill,
        mayBeLoading: rise !== null && rise.loading !== 'no',
        growingPids: grows ? growingPids : [],
        announced: null,
      },
    ];
  });
  return [...ofProcesses, ...ofCard(gpuIndex, time, fill, growingPids, standing, judged)];
}

/** What is foretold of the card itself: where something rises there, or an alert stands. */
function ofCard(
  gpuIndex: number,
  now: number,
  fill: CardOutlook['fill'],
  growingPids: readonly number[],
  standing: Announcement | null,
  judged: CardOutlook['judged'],
): readonly Forecast[] {
  const announced =
    standing === null
      ? null
      : {
          at: standing.at,
          etaSeconds: standing.etaSeconds,
          number: standing.number,
          pids: standing.pids.flatMap((pid) => pid ?? []),
        };
  if (fill !== null)
    return [
      {
        gpuIndex,
        pid: null,
        state: 'growing',
        slopeBytesPerSecond: fill.slopeBytesPerSecond,
        etaSeconds: fill.etaSeconds,
        etaRangeSeconds: fill.etaRangeSeconds,
        risingForSeconds: fill.risingForSeconds,
        willFill: fill.willFill,
        mayBeLoading: fill.mayBeLoading,
        growingPids,
        announced,
      },
    ];
  if (standing === null || judged.length === 0) return [];
  const passed = now - standing.at;
  const left = (seconds: number): number => Math.max(0, seconds - passed);
  return [
    {
      gpuIndex,
      pid: null,
      state: 'spiky',
      slopeBytesPerSecond: standing.slopeBytesPerSecond,
      etaSeconds: left(standing.etaSeconds),
      etaRangeSeconds: [left(standing.etaRangeSeconds[0]), left(standing.etaRangeSeconds[1])],
      risingForSeconds: standing.risingForSeconds,
      willFill: false,
      mayBeLoading: false,
      growingPids: standing.pids.flatMap((pid) => pid ?? []),
      announced,
    },
  ];
}
