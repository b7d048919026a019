import type { Snapshot } from '../../../../shared/contract/snapshot';

/** A Snapshot of a machine without cards, with what a test gives. */
export function snapshotOf(given: Partial<Snapshot>): Snapshot {
  return {
    time: 0,
    cardsReadAt: null,
    source: { kind: 'machine', sceneId: null },
    driverVersion: null,
    cudaVersion: null,
    cards: [],
    processes: [],
    jobs: [],
    host: {
      hostname: 'testbox',
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
    ...given,
  };
}
