import { cudaOrdinals } from '../gpu/cudaOrdinal';
import { mergeProcesses } from '../gpu/mergeProcesses';
import { uniqueProblems } from '../gpu/problems';
import type { CardReading, GpuProcess, Problem } from '../gpu/types';
import { groupJobs } from '../jobs/grouping';
import type { Job, ProcessFacts } from '../jobs/types';
import type { World } from '../jobs/world';
import type { Card } from '../gpu/types';
import type { HostReading, WorkstationState, SnapshotOrigin } from './types';

/** Everything that sensing has gathered for one tick. */
export interface Readings {
  readonly time: number;
  readonly source: SnapshotOrigin;
  readonly cardsReadAt: number | null;
  readonly intervalSeconds: number;
  readonly driverVersion: string | null;
  readonly cudaVersion: string | null;
  /** The newest reading of each card, lost ones included. */
  readonly cards: readonly CardReading[];
  readonly lostGpuIndices: ReadonlySet<number>;
  /** `--query-compute-apps`, or null where it could not be read. */
  readonly apps: readonly GpuProcess[] | null;
  /** The lists are the last ones read and no longer fresh: processes that have ended since are left out. */
  readonly isStale: boolean;
  /** The cards and processes of the newest `-q -x`. */
  readonly detailCards: readonly CardReading[];
  readonly detailProcesses: readonly GpuProcess[];
  /** Processes near cards. What nvidia-smi lists and is not among them has ended since and is left out. */
  readonly facts: readonly ProcessFacts[];
  readonly host: HostReading;
  readonly gpuIndexByMinor: ReadonlyMap<number, number>;
  readonly previousJobs: readonly Job[];
  readonly ownUid: number | null;
  readonly world: World;
  readonly problems: readonly Problem[];
}

/** One immutable Snapshot of a tick. Forecast, imbalance and alerts are added by the rules that watch Snapshots. */
export function assembleSnapshot(readings: Readings): WorkstationState {
  const ordinals = cudaOrdinals(readings.cards);
  const sharing = new Set(
    readings.problems.flatMap(({ code, gpuIndex }) => (code === 'unified-memory' ? [gpuIndex] : [])),
  );
  const cards = readings.cards.map((reading, place): Card => {
    const index = reading.index ?? place;
    const sharesHostMemory = sharing.has(index);
    return {
      ...reading,
      ...(sharesHostMemory ? memoryOfHost(readings.host) : {}),
      sharesHostMemory,
      index,
      mig: reading.mig.length > 0 ? reading.mig : (detailOf(reading, readings.detailCards)?.mig ?? []),
      cudaOrdinal: ordinals[place] ?? null,
      lost: readings.lostGpuIndices.has(index),
      readAt: readings.lostGpuIndices.has(index) ? null : readings.cardsReadAt,
    };
  });
  const living = new Set(
    readings.facts.flatMap(({ pid, startTime, state }) => (startTime === null || state === 'Z' ? [] : [pid])),
  );
  const isAlive = (pid: number): boolean => living.has(pid);
  const listed = mergeProcesses({ apps: readings.apps, details: readings.detailProcesses, cards, isAlive });
  const told = new Set(readings.facts.map(({ pid }) => pid));
  const processes = listed.filter(
    (process) =>
      (process.pid === null || (readings.isStale ? isAlive(process.pid) : told.has(process.pid))) &&
      !hasGivenBack(process, cards, isAlive),
  );
  const jobs = groupJobs({
    facts: readings.facts,
    holds: processes.flatMap(({ pid, gpuIndex, usedBytes, type, name }) =>
      pid === null || gpuIndex === null ? [] : [{ pid, gpuIndex, usedBytes, type, name }],
    ),
    gpuIndexByMinor: readings.gpuIndexByMinor,
    previous: readings.previousJobs,
    ownUid: readings.ownUid,
    world: readings.world,
  });
  return {
    time: readings.time,
    cardsReadAt: readings.cardsReadAt,
    intervalSeconds: readings.intervalSeconds,
    source: readings.source,
    driverVersion: readings.driverVersion,
    cudaVersion: readings.cudaVersion,
    cards,
    processes,
    jobs,
    host: readings.host,
    forecast: [],
    imbalance: [],
    problems: uniqueProblems(readings.problems),
  };
}

/**
 * Whether a process that has ended holds what the list still says. With the last process of all gone, nvidia-smi's list of processes
 * falls silent and the one before stays for some rounds; the card's own figure is never as old.
 */
function hasGivenBack(
  { pid, gpuIndex, usedBytes }: GpuProcess,
  cards: readonly Card[],
  isAlive: (pid: number) => boolean,
): boolean {
  if (pid === null || usedBytes === null || isAlive(pid)) return false;
  const used = cards.find(({ index }) => index === gpuIndex)?.memoryUsedBytes ?? null;
  return used !== null && used < usedBytes;
}

/**
 * What a card that shares the host's memory can have: all that is available, beside what is in use already. Others do
 * the same (https://github.com/Syllo/nvtop/pull/466), as the driver tells neither.
 */
function memoryOfHost(
  host: HostReading,
): Pick<Card, 'memoryTotalBytes' | 'memoryUsedBytes' | 'memoryFreeBytes'> {
  return {
    memoryTotalBytes: host.memoryTotalBytes,
    memoryUsedBytes: host.memoryUsedBytes,
    memoryFreeBytes: host.memoryAvailableBytes,
  };
}

function detailOf(card: CardReading, details: readonly CardReading[]): CardReading | null {
  return (
    details.find(({ uuid, pciBusId }) =>
      card.uuid !== null && uuid !== null
        ? uuid === card.uuid
        : pciBusId !== null && pciBusId === card.pciBusId,
    ) ?? null
  );
}
