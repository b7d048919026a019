import { observe } from '../../../electron/simulation/observe';
import type { Scene } from '../../../electron/simulation/scene';
import { queryComputeApps, queryGpu } from '../../../electron/simulation/smiCsv';
import { assembleSnapshot, type Readings } from '../../../shared/snapshot/assembleSnapshot';
import { emptyMemory, enrichSnapshot } from '../../../shared/snapshot/enrichSnapshot';
import type { WorkstationState } from '../../../shared/snapshot/types';
import { readQueryApps, usualAppFields } from '../../../shared/gpu/smi/queryApps';
import { readQueryGpu } from '../../../shared/gpu/smi/queryGpu';
import { machineProblem } from '../../../shared/gpu/problems';
import type { CardReading, GpuProcess } from '../../../shared/gpu/types';
import { parseRankEnvironment } from '../../../shared/jobs/procStat';
import type { Job, ProcessFacts } from '../../../shared/jobs/types';
import { GiB } from '../../../shared/units';
import { facts, machineInit } from './jobs/facts';
import { wholeWorld } from '../../../shared/jobs/world';

const startedAt = 1_795_964_400;
const gpuFields = [
  'index',
  'uuid',
  'name',
  'pci.bus_id',
  'memory.total',
  'memory.reserved',
  'memory.used',
  'memory.free',
  'utilization.gpu',
  'temperature.gpu',
  'power.draw',
  'power.limit',
  'clocks_event_reasons.active',
];

/**
 * The Snapshots of a scene, one a second, without starting anything: what its stand-in would print is read by the
 * parsers of the real nvidia-smi, and its programs are facts as /proc would tell them. A lost card keeps its last
 * reading, and while nvidia-smi fails there is none.
 */
export function* sceneSnapshots(scene: Scene, seconds: number): Generator<WorkstationState> {
  let last: readonly CardReading[] = [];
  let apps: readonly GpuProcess[] | null = null;
  let cardsReadAt: number | null = null;
  let previousJobs: readonly Job[] = [];
  let memory = emptyMemory;
  for (let second = 0; second < seconds; second += 1) {
    const time = startedAt + second;
    const failure = scene.failureAt(second);
    const lost = new Set<number>();
    if (failure === null) {
      const reading = readAll(scene, second, time);
      apps = reading.apps;
      cardsReadAt = time;
      for (const { index, condition } of observe(scene, second, new Map()))
        if (condition.lost) lost.add(index);
      last = reading.cards.map((card) =>
        lost.has(card.index ?? -1) ? (last.find(({ index }) => index === card.index) ?? card) : card,
      );
    }
    const assembled = assembleSnapshot({
      ...unread,
      time,
      source: { kind: 'simulated', sceneId: scene.id },
      cardsReadAt,
      intervalSeconds: 1,
      cards: last,
      lostGpuIndices: lost,
      apps: apps?.filter(({ gpuIndex }) => gpuIndex === null || !lost.has(gpuIndex)) ?? null,
      isStale: failure !== null,
      facts: factsOf(scene, second),
      previousJobs,
      problems: failure === null ? [] : [machineProblem('command-missing')],
    });
    const step = enrichSnapshot(memory, assembled, {
      listeningPorts: new Set(),
      livingContainers: null,
      world: wholeWorld,
    });
    memory = step.memory;
    previousJobs = step.snapshot.jobs;
    yield step.snapshot;
  }
}

const unread: Pick<
  Readings,
  | 'driverVersion'
  | 'cudaVersion'
  | 'detailCards'
  | 'detailProcesses'
  | 'host'
  | 'gpuIndexByMinor'
  | 'ownUid'
  | 'world'
> = {
  driverVersion: null,
  cudaVersion: null,
  detailCards: [],
  detailProcesses: [],
  host: {
    hostname: 'rig',
    memoryTotalBytes: 64 * GiB,
    memoryUsedBytes: 20 * GiB,
    memoryAvailableBytes: 44 * GiB,
    swapTotalBytes: 0,
    swapUsedBytes: 0,
    shmTotalBytes: 32 * GiB,
    shmUsedBytes: 0,
    cpuPercent: 10,
    cpuCount: 16,
    topProcesses: [],
  },
  gpuIndexByMinor: new Map(),
  ownUid: 1000,
  world: wholeWorld,
};

/** The pid of each program: a program that ends and begins again gets another one. */
function pidsOf(scene: Scene, second: number): ReadonlyMap<string, number> {
  const pids = new Map<string, number>();
  for (const [place, { key, aliveAt }] of scene.programs.entries()) {
    if (!aliveAt(second)) continue;
    let lives = 0;
    for (let before = 1; before <= second; before += 1)
      if (aliveAt(before) && !aliveAt(before - 1)) lives += 1;
    pids.set(key, 10_000 + lives * 1000 + place);
  }
  return pids;
}

function readAll(
  scene: Scene,
  second: number,
  time: number,
): { readonly cards: readonly CardReading[]; readonly apps: readonly GpuProcess[] } {
  const moment = {
    scene,
    cards: observe(scene, second, pidsOf(scene, second)),
    time: new Date(time * 1000),
  };
  const format = { header: true, units: true };
  const cards = readQueryGpu(queryGpu(moment, gpuFields, format)).cards;
  const listed = readQueryApps(queryComputeApps(moment, usualAppFields, format)).processes;
  const indexByUuid = new Map(cards.map(({ uuid, index }) => [uuid, index]));
  return {
    cards,
    apps: listed.map((one) => ({ ...one, gpuIndex: indexByUuid.get(one.gpuUuid) ?? one.gpuIndex })),
  };
}

/** Real processes behind a scene only wait: no processor, no reading or writing. */
function factsOf(scene: Scene, second: number): readonly ProcessFacts[] {
  const pids = pidsOf(scene, second);
  const programs = scene.programs.flatMap((program) => {
    const pid = pids.get(program.key);
    if (pid === undefined) return [];
    const parentPid = program.parent === null ? 900 : (pids.get(program.parent) ?? 1);
    const environment = Object.entries(program.environment).map(([name, value]) => `${name}=${value}`);
    return [
      facts({
        pid,
        parentPid,
        command: program.command,
        name: program.shortName ?? 'python3',
        environment: parseRankEnvironment(environment.join('\0')),
        cpuSeconds: 0,
        ioBytes: 0,
        startedAt: startedAt - 1,
      }),
    ];
  });
  return [machineInit, ...programs];
}
