import { watchAlerts, noAlerts } from '../../shared/alerts/watch';
import { defaultSettings } from '../../shared/contract/defaultSettings';
import { emptyMemory, enrichSnapshot } from '../../shared/snapshot/enrichSnapshot';
import type { Card } from '../../shared/gpu/types';
import type { Snapshot } from '../../shared/alerts/snapshot';
import type { GpuProcess } from '../../shared/gpu/types';
import type { Job, JobMember, JobRole, ProcessFacts } from '../../shared/jobs/types';
import { wholeWorld } from '../../shared/jobs/world';
import { GiB, MiB } from '../../shared/units';
import type { Bench, BenchRow } from './bench';

export const name = 'The rules of one tick';

const cardCount = 16;
const jobCount = 16;
/** In each job: a launcher, eight ranks on two cards, sixteen workers; 400 processes together. */
const ranksPerJob = 8;
const workersPerJob = 16;
const warmSeconds = 600;
const measuredSeconds = 120;
const aimMs = 2;
const listeningPorts: ReadonlySet<number> = new Set([29_500, 22, 8888]);

/**
 * What forecast, imbalance, verdicts and alerts cost in processor time with 16 cards and 400 processes, after ten minutes
 * of past. Every rank's memory changes each second, which is the worst there can be: one that stays costs next to nothing.
 */
export const run: Bench = async (): Promise<readonly BenchRow[]> => {
  const noisy = millisecondsPerTick((rank, second) => 8 * GiB + ((second * 37 + rank * 101) % 400) * MiB);
  const rising = millisecondsPerTick((rank, second) => 2 * GiB + second * (1 + rank) * MiB);
  const steady = millisecondsPerTick((rank) => 8 * GiB + rank * MiB);
  return [
    rowOf('every rank noisy', noisy, steady),
    rowOf('every rank rises', rising, steady),
    rowOf('every rank steady', steady, steady),
  ];
};

function rowOf(what: string, measured: number, steady: number): BenchRow {
  return {
    what,
    measured: `${measured.toFixed(2)} ms`,
    baseline: `${steady.toFixed(2)} ms, every rank steady`,
    result: `${(measured / steady).toFixed(1)}x`,
    aim: `${aimMs} ms a tick`,
    aimMet: measured <= aimMs,
  };
}

function millisecondsPerTick(usedBytes: (rank: number, second: number) => number): number {
  let memory = emptyMemory;
  let alertMemory = noAlerts;
  const settings = { ...defaultSettings, mutedCards: [] };
  let spentMs = 0;
  for (let second = 0; second < warmSeconds + measuredSeconds; second += 1) {
    const snapshot = snapshotAt(second, usedBytes);
    const begin = process.cpuUsage();
    const step = enrichSnapshot(memory, snapshot, {
      listeningPorts,
      livingContainers: null,
      world: wholeWorld,
    });
    memory = step.memory;
    alertMemory = watchAlerts(alertMemory, step.snapshot, settings).memory;
    const { user, system } = process.cpuUsage(begin);
    if (second >= warmSeconds) spentMs += (user + system) / 1000;
  }
  return spentMs / measuredSeconds;
}

function snapshotAt(second: number, usedBytes: (rank: number, second: number) => number): Snapshot {
  const jobs = Array.from({ length: jobCount }, (_, index) => jobAt(index, second, usedBytes));
  const processes = jobs.flatMap(({ members }) =>
    members.flatMap(({ process, cards }) =>
      cards.map((held): GpuProcess => ({
        gpuIndex: held.gpuIndex,
        gpuUuid: null,
        pid: process.pid,
        type: 'C',
        name: 'python',
        usedBytes: held.usedBytes,
        gpuInstance: null,
        computeInstance: null,
      })),
    ),
  );
  return {
    time: second,
    cardsReadAt: second,
    intervalSeconds: 1,
    source: { kind: 'machine', sceneId: null },
    driverVersion: null,
    cudaVersion: null,
    cards: Array.from({ length: cardCount }, (_, index) => cardAt(index, processes)),
    processes,
    jobs,
    host: {
      hostname: 'bench',
      memoryTotalBytes: 1024 * GiB,
      memoryUsedBytes: 300 * GiB,
      memoryAvailableBytes: 724 * GiB,
      swapTotalBytes: 0,
      swapUsedBytes: 0,
      shmTotalBytes: 512 * GiB,
      shmUsedBytes: 0,
      cpuPercent: 40,
      cpuCount: 128,
      topProcesses: [],
    },
    forecast: [],
    imbalance: [],
    alerts: [],
    problems: [],
  };
}

function cardAt(index: number, processes: readonly GpuProcess[]): Card {
  const used = processes.reduce((sum, one) => sum + (one.gpuIndex === index ? (one.usedBytes ?? 0) : 0), 0);
  return {
    index,
    uuid: `GPU-${index}`,
    name: 'NVIDIA H100 80GB HBM3',
    pciBusId: null,
    memoryTotalBytes: 144 * GiB,
    memoryUsedBytes: used,
    memoryFreeBytes: 144 * GiB - used,
    memoryReservedBytes: null,
    utilizationPercent: 97,
    temperatureC: 60,
    powerWatts: 600,
    powerLimitWatts: 700,
    fanPercent: null,
    smClockMHz: 1980,
    memoryClockMHz: 2619,
    throttleReasons: [],
    eccUncorrectedErrors: 0,
    persistenceMode: true,
    computeMode: 'Default',
    mig: [],
    cudaOrdinal: index,
    lost: false,
    readAt: null,
    sharesHostMemory: false,
  };
}

function jobAt(index: number, second: number, usedBytes: (rank: number, second: number) => number): Job {
  const first = 10_000 + index * 100;
  const ranks = Array.from({ length: ranksPerJob }, (_, rank) =>
    memberAt(first + 1 + rank, first, 'rank', rank, second, [
      { gpuIndex: index % cardCount, usedBytes: usedBytes(index * ranksPerJob + rank, second) },
    ]),
  );
  const workers = Array.from({ length: workersPerJob }, (_, worker) =>
    memberAt(first + 20 + worker, first + 1, 'worker', worker % ranksPerJob, second, []),
  );
  return {
    id: `${first}-1`,
    title: `train_${index}.py`,
    user: 'ada',
    kind: 'torchrun',
    members: [memberAt(first, 900, 'launcher', null, second, []), ...ranks, ...workers],
    worldSize: ranksPerJob,
    memoryBytes: null,
    residentBytes: null,
    cpuPercent: null,
    startedAt: 0,
    verdict: 'healthy',
    idleSince: null,
    reasons: [],
    against: [],
    ownedByMe: true,
  };
}

function memberAt(
  pid: number,
  parentPid: number,
  role: JobRole,
  rank: number | null,
  second: number,
  cards: JobMember['cards'],
): JobMember {
  const process: ProcessFacts = {
    pid,
    startTime: pid,
    uid: 1000,
    parentPid,
    processGroup: pid,
    session: pid,
    terminal: null,
    user: 'ada',
    state: 'S',
    name: 'python3',
    command: ['/opt/venv/bin/python3', '-u', 'train.py', '--config', 'configs/base.yaml'],
    workingFolder: '/home/ada',
    startedAt: 0,
    residentBytes: GiB,
    cpuPercent: 50,
    cpuSeconds: second / 2,
    ioBytes: second * MiB,
    cgroup: '/user.slice/user-1000.slice/session-3.scope',
    openDevices: [],
    spawnFamily: null,
    writesCheckpoint: false,
    environment: {
      rank,
      localRank: rank,
      worldSize: ranksPerJob,
      localWorldSize: ranksPerJob,
      masterAddress: '127.0.0.1',
      masterPort: 29_500,
      slurmJobId: null,
      slurmStepId: null,
      cudaVisibleDevices: null,
      torchelasticRunId: 'none',
      torchelasticRunFolder: `/tmp/torchelastic_${parentPid}`,
      headroomPlan: null,
    },
    unreadable: [],
  };
  return {
    process,
    role,
    rank,
    origin: role === 'launcher' ? 'started' : 'member',
    listed: cards.length > 0,
    cards,
  };
}
