import { groupJobs } from '../../shared/jobs/grouping';
import { judgeJobs, noPasts } from '../../shared/jobs/stale/judge';
import type { GpuHold } from '../../shared/jobs/assembleJob';
import type { Job, ProcessFacts } from '../../shared/jobs/types';
import { wholeWorld } from '../../shared/jobs/world';
import { GiB } from '../../shared/units';
import type { Bench, BenchRow } from './bench';

export const name = 'Leftovers';

/** A launcher, eight ranks and sixteen data-loader workers. */
const processesPerJob = 25;
const ranksPerJob = 8;
const warmTicks = 60;
const measuredTicks = 300;
const aimMs = 3;

/**
 * What it costs in processor time a tick to make jobs of 400 processes and judge them, amortised over five minutes;
 * every second job has lost its launcher. What /proc costs is in the sampler's own bench.
 */
export const run: Bench = async (): Promise<readonly BenchRow[]> => {
  const few = millisecondsPerTick(2);
  const many = millisecondsPerTick(16);
  return [
    {
      what: 'group and judge 400 processes',
      measured: `${many.toFixed(2)} ms`,
      baseline: `${few.toFixed(2)} ms, 50 processes`,
      result: `${(many / few).toFixed(1)}x`,
      aim: `${aimMs} ms a tick`,
      aimMet: many <= aimMs,
    },
  ];
};

function millisecondsPerTick(jobCount: number): number {
  let memory = noPasts;
  let previous: readonly Job[] = [];
  let spentMs = 0;
  const holds = holdsOf(jobCount);
  const gpuIndexByMinor = new Map(Array.from({ length: 16 }, (_none, index) => [index, index]));
  for (let tick = 0; tick < warmTicks + measuredTicks; tick += 1) {
    const facts = [
      machineInit,
      ...Array.from({ length: jobCount }, (_none, job) => factsOf(job, tick)).flat(),
    ];
    const begin = process.cpuUsage();
    const jobs = groupJobs({ facts, holds, gpuIndexByMinor, previous, ownUid: 1000, world: wholeWorld });
    const judged = judgeJobs(memory, {
      jobs,
      now: tick,
      busyCards: new Map([0, 2, 4].map((index) => [index, 97])),
      listeningPorts: new Set([22, 29_500]),
      livingContainers: null,
      world: wholeWorld,
    });
    const { user, system } = process.cpuUsage(begin);
    memory = judged.memory;
    previous = judged.jobs;
    if (tick >= warmTicks) spentMs += (user + system) / 1000;
  }
  const expected = `${jobCount / 2} stale of ${jobCount}`;
  const found = `${previous.filter(({ verdict }) => verdict === 'stale').length} stale of ${previous.length}`;
  if (found !== expected) throw new Error(`expected ${expected}, found ${found}`);
  return spentMs / measuredTicks;
}

/** What takes the ranks in whose launcher has ended. */
const machineInit: ProcessFacts = {
  ...processAt(0, 0, 0, null, 0),
  pid: 1,
  startTime: 1,
  uid: 0,
  user: 'root',
  name: 'systemd',
  command: ['/sbin/init'],
  openDevices: [],
};

function pidOf(job: number, place: number): number {
  return 10_000 + job * 100 + place;
}

function holdsOf(jobCount: number): readonly GpuHold[] {
  return Array.from({ length: jobCount * ranksPerJob }, (_none, at): GpuHold => {
    const job = Math.floor(at / ranksPerJob);
    const pid = pidOf(job, 1 + (at % ranksPerJob));
    return { pid, gpuIndex: job % 16, usedBytes: 8 * GiB, type: 'C', name: 'python3' };
  });
}

function factsOf(job: number, tick: number): readonly ProcessFacts[] {
  const isOrphaned = job % 2 === 1;
  return Array.from({ length: processesPerJob }, (_none, place): ProcessFacts | null => {
    if (place === 0) return isOrphaned ? null : processAt(job, 0, 900, null, tick);
    if (place <= ranksPerJob) return processAt(job, place, isOrphaned ? 1 : pidOf(job, 0), place - 1, tick);
    const rank = (place - 1) % ranksPerJob;
    return { ...processAt(job, place, pidOf(job, 1 + rank), rank, tick), name: 'pt_data_worker' };
  }).filter((facts) => facts !== null);
}

function processAt(
  job: number,
  place: number,
  parentPid: number,
  rank: number | null,
  tick: number,
): ProcessFacts {
  const pid = pidOf(job, place);
  const script = ['train.py', '--config', `configs/run_${job}.yaml`];
  return {
    pid,
    startTime: pid,
    uid: 1000,
    user: 'ada',
    parentPid,
    processGroup: pid,
    session: pid,
    terminal: null,
    state: 'S',
    name: 'python3',
    command:
      rank === null
        ? ['/opt/venv/bin/python3', '/opt/venv/bin/torchrun', '--nproc-per-node=8', ...script]
        : ['/opt/venv/bin/python3', '-u', ...script],
    workingFolder: '/home/ada',
    startedAt: job,
    residentBytes: GiB,
    cpuPercent: 50,
    cpuSeconds: tick / 2,
    ioBytes: tick * 1024,
    cgroup: '/user.slice/user-1000.slice/session-3.scope',
    openDevices: ['/dev/nvidiactl', '/dev/nvidia-uvm', `/dev/nvidia${job % 16}`],
    spawnFamily: null,
    writesCheckpoint: false,
    environment: {
      rank,
      localRank: rank,
      worldSize: rank === null ? null : ranksPerJob,
      localWorldSize: rank === null ? null : ranksPerJob,
      masterAddress: rank === null ? null : '127.0.0.1',
      masterPort: rank === null ? null : 29_500 + job,
      slurmJobId: null,
      slurmStepId: null,
      cudaVisibleDevices: null,
      torchelasticRunId: rank === null ? null : 'none',
      torchelasticRunFolder: rank === null ? null : `/tmp/torchelastic_${job}/none_${job}`,
      headroomPlan: null,
    },
    unreadable: [],
  };
}
