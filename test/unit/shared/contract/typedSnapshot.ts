import type { Card } from '../../../../shared/gpu/types';
import type { HostReading } from '../../../../shared/snapshot/types';
import type { Snapshot } from '../../../../shared/alerts/snapshot';
import { emptyCard } from '../../../../shared/gpu/smi/card';
import type { Job, JobMember } from '../../../../shared/jobs/types';

/** A Snapshot of a machine without cards, with what a test gives. */
export function snapshotOf(given: Partial<Snapshot>): Snapshot {
  return {
    time: 0,
    cardsReadAt: null,
    intervalSeconds: 1,
    source: { kind: 'machine', sceneId: null },
    driverVersion: null,
    cudaVersion: null,
    cards: [],
    processes: [],
    jobs: [],
    host: unknownHost('testbox'),
    forecast: [],
    imbalance: [],
    alerts: [],
    problems: [],
    ...given,
  };
}

/** A host of which nothing is known but its name. */
export function unknownHost(hostname: string): HostReading {
  return {
    hostname,
    memoryTotalBytes: null,
    memoryUsedBytes: null,
    memoryAvailableBytes: null,
    swapTotalBytes: null,
    swapUsedBytes: null,
    shmTotalBytes: null,
    shmUsedBytes: null,
    cpuPercent: null,
    cpuCount: null,
    topProcesses: [],
  };
}

/** A card that answers, with what a test gives; nothing else of it is known. */
export function plainCard(index: number, given: Partial<Card> = {}): Card {
  return {
    ...emptyCard(),
    index,
    cudaOrdinal: index,
    lost: false,
    readAt: null,
    sharesHostMemory: false,
    ...given,
  };
}

/** A healthy job of mine with these processes and what a test gives; its sums are not known. */
export function plainJob(id: string, members: readonly JobMember[], given: Partial<Job> = {}): Job {
  return {
    id,
    title: id,
    user: null,
    kind: 'single',
    members,
    worldSize: null,
    memoryBytes: null,
    residentBytes: null,
    cpuPercent: null,
    startedAt: null,
    verdict: 'healthy',
    idleSince: null,
    reasons: [],
    against: [],
    ownedByMe: true,
    ...given,
  };
}
