/** Process tables for tests: typed ones, and the recorded ones of test/fixtures/jobs. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { GpuHold } from '../../../../shared/jobs/assembleJob';
import { groupJobs } from '../../../../shared/jobs/grouping';
import { parseProcStat, parseRankEnvironment } from '../../../../shared/jobs/procStat';
import { wholeWorld } from '../../../../shared/jobs/world';
import type { Job, ProcessFacts, RankEnvironment } from '../../../../shared/jobs/types';

export const GiB = 1024 ** 3;

export function facts(given: Partial<ProcessFacts> & { pid: number }): ProcessFacts {
  return {
    startTime: 1000 + given.pid,
    uid: 1000,
    user: 'ada',
    parentPid: 1,
    processGroup: given.pid,
    session: given.pid,
    terminal: 0,
    state: 'S',
    name: 'python3',
    command: ['python3', 'train.py'],
    workingFolder: '/home/ada/project',
    startedAt: 1_700_000_000 + given.pid,
    residentBytes: GiB,
    cpuPercent: 10,
    cpuSeconds: 100,
    ioBytes: 0,
    cgroup: '/user.slice/user-1000.slice/session-3.scope',
    openDevices: [],
    spawnFamily: null,
    writesCheckpoint: false,
    environment: noRank,
    unreadable: [],
    ...given,
  };
}

export const noRank: RankEnvironment = {
  rank: null,
  localRank: null,
  worldSize: null,
  localWorldSize: null,
  masterAddress: null,
  masterPort: null,
  slurmJobId: null,
  slurmStepId: null,
  cudaVisibleDevices: null,
  torchelasticRunId: null,
  torchelasticRunFolder: null,
  headroomPlan: null,
};

export function rankOf(
  rank: number,
  worldSize: number,
  more: Partial<RankEnvironment> = {},
): RankEnvironment {
  return {
    ...noRank,
    rank,
    localRank: rank,
    worldSize,
    localWorldSize: worldSize,
    masterAddress: '127.0.0.1',
    masterPort: 29_500,
    ...more,
  };
}

export function hold(pid: number, gpuIndex: number, usedBytes: number | null = GiB): GpuHold {
  return { pid, gpuIndex, usedBytes, type: 'C', name: 'python3' };
}

export function jobsOf(
  processes: readonly ProcessFacts[],
  holds: readonly GpuHold[],
  previous: readonly Job[] = [],
): readonly Job[] {
  return groupJobs({
    facts: withInit(processes),
    holds,
    gpuIndexByMinor: new Map(Array.from({ length: 16 }, (_none, index) => [index, index])),
    previous,
    ownUid: 1000,
    world: wholeWorld,
  });
}

/** Linux always has a pid 1; tables that do not name theirs have a machine's. */
function withInit(processes: readonly ProcessFacts[]): readonly ProcessFacts[] {
  return processes.some(({ pid }) => pid === 1) ? processes : [machineInit, ...processes];
}

export const machineInit = facts({
  pid: 1,
  startTime: 1,
  uid: 0,
  user: 'root',
  parentPid: 0,
  processGroup: 1,
  session: 1,
  name: 'systemd',
  command: ['/sbin/init'],
  cgroup: '/init.scope',
});

/** The pids of each job, each list sorted, the lists in the order of the jobs. */
export function pidsOf(jobs: readonly Job[]): readonly (readonly number[])[] {
  return jobs.map(({ members }) => members.map(({ process }) => process.pid).sort((a, b) => a - b));
}

export function rolesOf(job: Job | undefined): Readonly<Record<number, string>> {
  return Object.fromEntries((job?.members ?? []).map(({ process, role }) => [process.pid, role]));
}

const folder = path.resolve(import.meta.dirname, '../../../fixtures/jobs');

/**
 * A recorded table: `NAME-proc.txt` has a section `== PID` for each process with its environment and its line of stat,
 * `NAME-ps.txt` its command line.
 */
export function recordedTable(name: string): readonly ProcessFacts[] {
  const sections = readFileSync(path.join(folder, `${name}-proc.txt`), 'utf8').split(/^== \d+\n/m);
  const commands = commandsOf(readFileSync(path.join(folder, `${name}-ps.txt`), 'utf8'));
  return sections.flatMap((section) => {
    const lines = section.trim().split('\n');
    const stat = parseProcStat(lines.at(-1) ?? '');
    if (stat === null) return [];
    return facts({
      ...stat,
      command: commands.get(stat.pid) ?? null,
      startedAt: stat.startTime / 100,
      environment: parseRankEnvironment(
        lines
          .slice(0, -1)
          .map((line) => `${line}\0`)
          .join(''),
      ),
      residentBytes: stat.residentPages * 4096,
    });
  });
}

function commandsOf(ps: string): ReadonlyMap<number, readonly string[]> {
  return new Map(
    ps.split('\n').flatMap((line) => {
      const match = /^\s*(\d+)(?:\s+\S+){8}\s+(?:[|\\_ ]+)?(.*)$/.exec(line);
      return match === null ? [] : [[Number(match[1]), (match[2] ?? '').split(' ')] as const];
    }),
  );
}

/** torchrun's launcher of two ranks, started from `bash`. */
export const torchrun = (pid: number, script = 'train.py', more: Partial<ProcessFacts> = {}) =>
  facts({
    pid,
    name: 'pt_elastic',
    parentPid: 50,
    command: ['python3', '-m', 'torch.distributed.run', '--nproc_per_node=2', script],
    ...more,
  });

/** A shell on a terminal. */
export const bash = facts({ pid: 50, name: 'bash', command: ['-bash'], parentPid: 40 });
