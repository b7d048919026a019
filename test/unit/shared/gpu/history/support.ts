import type { Card, Snapshot } from '../../../../../shared/contract/snapshot';
import { emptyCard } from '../../../../../shared/gpu/smi/card';
import type { Job } from '../../../../../shared/jobs/types';
import { MiB } from '../../../../../shared/units';

export interface CardAt {
  readonly index: number;
  readonly usedMiB: number | null;
  readonly utilization?: number | null;
  readonly lost?: boolean;
}

export interface JobAt {
  readonly id: string;
  readonly title?: string;
  readonly kind?: Job['kind'];
  /** MiB by card index. */
  readonly on: Readonly<Record<number, number>>;
}

function card({ index, usedMiB, utilization = null, lost = false }: CardAt): Card {
  return {
    ...emptyCard(),
    index,
    cudaOrdinal: null,
    lost,
    readAt: null,
    sharesHostMemory: false,
    memoryUsedBytes: usedMiB === null ? null : usedMiB * MiB,
    utilizationPercent: utilization,
  };
}

function job({ id, title = id, kind = 'single', on }: JobAt): Job {
  return {
    id,
    title,
    user: null,
    kind,
    members: [
      {
        process: {
          pid: 1,
          startTime: 1,
          uid: null,
          parentPid: null,
          processGroup: null,
          session: null,
          terminal: null,
          user: null,
          state: 'R',
          name: title,
          command: null,
          workingFolder: null,
          startedAt: null,
          residentBytes: null,
          cpuPercent: null,
          cpuSeconds: null,
          ioBytes: null,
          cgroup: null,
          openDevices: null,
          writesCheckpoint: null,
          environment: null,
          unreadable: [],
        },
        role: 'process',
        rank: null,
        cards: Object.entries(on).map(([index, usedMiB]) => ({
          gpuIndex: Number(index),
          usedBytes: usedMiB * MiB,
        })),
      },
    ],
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
  };
}

export function snapshotAt(
  time: number,
  cards: readonly CardAt[],
  jobs: readonly JobAt[] = [],
  cardsReadAt: number | null = time,
): Snapshot {
  return {
    time,
    cardsReadAt,
    source: { kind: 'machine', sceneId: null },
    driverVersion: null,
    cudaVersion: null,
    cards: cards.map(card),
    processes: [],
    jobs: jobs.map(job),
    host: {
      hostname: 'test',
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
    },
    forecast: [],
    imbalance: [],
    alerts: [],
    problems: [],
  };
}
