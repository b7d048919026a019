import type { Card } from '../../../shared/gpu/types';
import type { HostReading } from '../../../shared/snapshot/types';
import type { Snapshot } from '../../../shared/alerts/snapshot';
import type { Job, JobMember, ProcessFacts } from '../../../shared/jobs/types';
import { GiB, MiB } from '../../../shared/units';

/** Builders of Snapshots for component tests: everything has a plain value that a test overrides where it matters. */

/** 2026-11-29 15:00:00 UTC. */
export const noon = 1_795_964_400;

export function card(index: number, over: Partial<Card> = {}): Card {
  return {
    index,
    cudaOrdinal: index,
    lost: false,
    readAt: null,
    sharesHostMemory: false,
    uuid: `GPU-${index}`,
    name: 'NVIDIA GeForce RTX 3090',
    pciBusId: null,
    memoryTotalBytes: 24 * GiB,
    memoryUsedBytes: 0,
    memoryFreeBytes: null,
    memoryReservedBytes: null,
    utilizationPercent: 0,
    temperatureC: 34,
    powerWatts: 21,
    powerLimitWatts: 350,
    fanPercent: 30,
    smClockMHz: 210,
    memoryClockMHz: 405,
    throttleReasons: [],
    eccUncorrectedErrors: null,
    persistenceMode: true,
    computeMode: 'Default',
    mig: [],
    ...over,
  };
}

export function facts(pid: number, over: Partial<ProcessFacts> = {}): ProcessFacts {
  return {
    pid,
    startTime: pid * 10,
    uid: 1000,
    parentPid: 1,
    processGroup: pid,
    session: pid,
    terminal: null,
    user: 'ada',
    state: 'S',
    name: 'python',
    command: ['python', 'train.py'],
    workingFolder: '/home/ada/run',
    startedAt: noon - 40,
    residentBytes: 2 * GiB,
    cpuPercent: 101,
    cpuSeconds: 40,
    ioBytes: null,
    cgroup: null,
    openDevices: null,
    spawnFamily: null,
    writesCheckpoint: null,
    environment: null,
    unreadable: [],
    ...over,
  };
}

export function member(
  pid: number,
  cards: readonly (readonly [number, number | null])[],
  over: Partial<Omit<JobMember, 'process'>> & { readonly process?: Partial<ProcessFacts> } = {},
): JobMember {
  return {
    role: 'process',
    rank: null,
    origin: 'started',
    listed: true,
    cards: cards.map(([gpuIndex, usedBytes]) => ({ gpuIndex, usedBytes })),
    ...over,
    process: facts(pid, over.process),
  };
}

export function job(id: string, members: readonly JobMember[], over: Partial<Job> = {}): Job {
  const sum = (values: readonly (number | null)[]): number | null =>
    values.every((value) => value === null) ? null : values.reduce<number>((all, one) => all + (one ?? 0), 0);
  return {
    id,
    title: 'train.py',
    user: 'ada',
    kind: 'single',
    members,
    worldSize: null,
    memoryBytes: sum(members.flatMap((one) => one.cards.map((place) => place.usedBytes))),
    residentBytes: sum(members.map((one) => one.process.residentBytes)),
    cpuPercent: sum(members.map((one) => one.process.cpuPercent)),
    startedAt: noon - 40,
    verdict: 'healthy',
    idleSince: null,
    reasons: [],
    against: [],
    ownedByMe: true,
    ...over,
  };
}

export const host: HostReading = {
  hostname: 'rig-01',
  memoryTotalBytes: 64 * GiB,
  memoryUsedBytes: 41.2 * GiB,
  memoryAvailableBytes: 22.8 * GiB,
  swapTotalBytes: 0,
  swapUsedBytes: 0,
  shmTotalBytes: 32 * GiB,
  shmUsedBytes: 2 * GiB,
  cpuPercent: 23,
  cpuCount: 32,
  topProcesses: [
    { pid: 41822, name: 'python', residentBytes: 8.4 * GiB },
    { pid: 2210, name: 'gnome-shell', residentBytes: 512 * MiB },
  ],
};

export function snapshot(over: Partial<Snapshot> = {}): Snapshot {
  return {
    time: noon,
    cardsReadAt: over.time ?? noon,
    intervalSeconds: 1,
    source: { kind: 'machine', sceneId: null },
    driverVersion: '580.159',
    cudaVersion: '13.0',
    cards: [],
    processes: [],
    jobs: [],
    host,
    forecast: [],
    imbalance: [],
    alerts: [],
    problems: [],
    ...over,
  };
}
