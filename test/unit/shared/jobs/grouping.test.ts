import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bash,
  facts,
  GiB,
  hold,
  jobsOf,
  noRank,
  pidsOf,
  rankOf,
  recordedTable,
  rolesOf,
  torchrun,
} from './facts';

describe('recorded tables', () => {
  const holds = [hold(677, 0, 2926 * 1024 ** 2), hold(678, 0, 4834 * 1024 ** 2)];

  it('a running two-rank job is one job with its launcher', () => {
    const [job, ...others] = jobsOf(recordedTable('running'), holds);
    expect(others).toEqual([]);
    expect(rolesOf(job)).toEqual({ 651: 'launcher', 677: 'rank', 678: 'rank' });
    expect(job).toMatchObject({
      id: '651-7646',
      title: 'job.py',
      kind: 'torchrun',
      worldSize: 2,
      memoryBytes: (2926 + 4834) * 1024 ** 2,
      user: 'ada',
      ownedByMe: true,
    });
    expect(job?.members.map(({ rank }) => rank)).toEqual([null, 0, 1]);
  });

  it('the same ranks stay one job after their launcher was killed, under the same id', () => {
    const running = jobsOf(recordedTable('running'), holds);
    const [job, ...others] = jobsOf(recordedTable('orphaned'), holds, running);
    expect(others).toEqual([]);
    expect(rolesOf(job)).toEqual({ 677: 'rank', 678: 'rank' });
    expect(job).toMatchObject({ id: '651-7646', title: 'job.py', kind: 'torchrun', worldSize: 2 });
  });

  it('seen for the first time as orphans they are one job too', () => {
    expect(pidsOf(jobsOf(recordedTable('orphaned'), holds))).toEqual([[677, 678]]);
  });
});

describe('ranks, launcher and workers', () => {
  it('belong together, with what the ranks hold on their cards', () => {
    const processes = [
      bash,
      torchrun(100),
      ...[0, 1].flatMap((rank) => [
        facts({ pid: 110 + rank, parentPid: 100, environment: rankOf(rank, 2) }),
        facts({
          pid: 120 + rank,
          parentPid: 110 + rank,
          name: 'pt_data_worker',
          environment: rankOf(rank, 2),
        }),
      ]),
    ];
    const [job, ...others] = jobsOf(processes, [hold(110, 0), hold(111, 1, null)]);
    expect(others).toEqual([]);
    expect(rolesOf(job)).toEqual({ 100: 'launcher', 110: 'rank', 111: 'rank', 120: 'worker', 121: 'worker' });
    expect(job?.members.find(({ process }) => process.pid === 111)?.cards).toEqual([
      { gpuIndex: 1, usedBytes: null },
    ]);
    expect(job?.memoryBytes).toBe(GiB);
  });

  it('two runs of the same script stay apart', () => {
    const run = (launcher: number, first: number, port: number) => [
      torchrun(launcher),
      facts({ pid: first, parentPid: launcher, environment: rankOf(0, 2, { masterPort: port }) }),
      facts({ pid: first + 1, parentPid: launcher, environment: rankOf(1, 2, { masterPort: port }) }),
    ];
    const jobs = jobsOf(
      [bash, ...run(100, 110, 29_500), ...run(200, 210, 29_501)],
      [hold(110, 0), hold(111, 1), hold(210, 2), hold(211, 3)],
    );
    expect(pidsOf(jobs)).toEqual([
      [100, 110, 111],
      [200, 210, 211],
    ]);
  });

  it('two dead runs that used one port after each other stay apart, by torchrun’s folder', () => {
    const rank = (pid: number, number: number, folder: string) =>
      facts({ pid, environment: rankOf(number, 2, { torchelasticRunFolder: folder }) });
    const jobs = jobsOf(
      [rank(110, 0, '/tmp/a'), rank(111, 1, '/tmp/a'), rank(112, 0, '/tmp/b'), rank(113, 1, '/tmp/b')],
      [hold(110, 0), hold(111, 1), hold(112, 0), hold(113, 1)],
    );
    expect(pidsOf(jobs)).toEqual([
      [110, 111],
      [112, 113],
    ]);
  });

  it('and without that folder by a rank that is there twice', () => {
    const rank = (pid: number, number: number) => facts({ pid, environment: rankOf(number, 2) });
    const jobs = jobsOf(
      [rank(110, 0), rank(111, 1), rank(112, 0), rank(113, 1)],
      [hold(110, 0), hold(111, 1), hold(112, 0), hold(113, 1)],
    );
    expect(pidsOf(jobs)).toEqual([
      [110, 111],
      [112, 113],
    ]);
  });

  it('a leftover rank of a dead run does not join a new run on the same port', () => {
    const jobs = jobsOf(
      [
        facts({ pid: 90, environment: rankOf(1, 2) }),
        torchrun(100),
        facts({ pid: 110, parentPid: 100, environment: rankOf(0, 2) }),
        facts({ pid: 111, parentPid: 100, environment: rankOf(1, 2) }),
      ],
      [hold(90, 1), hold(110, 0), hold(111, 1)],
    );
    expect(pidsOf(jobs)).toEqual([[90], [100, 110, 111]]);
  });

  it('a late start on the same port is another run', () => {
    const rank = (pid: number, number: number, startedAt: number) =>
      facts({ pid, startedAt, environment: rankOf(number, 4) });
    const jobs = jobsOf(
      [rank(110, 0, 1000), rank(111, 1, 1005), rank(112, 2, 9000), rank(113, 3, 9004)],
      [hold(110, 0), hold(111, 1), hold(112, 2), hold(113, 3)],
    );
    expect(pidsOf(jobs)).toEqual([
      [110, 111],
      [112, 113],
    ]);
  });

  it('`none` as TORCHELASTIC_RUN_ID ties nothing together', () => {
    const single = (pid: number, port: number) =>
      facts({ pid, environment: rankOf(0, 1, { torchelasticRunId: 'none', masterPort: port }) });
    expect(pidsOf(jobsOf([single(110, 1), single(111, 2)], [hold(110, 0), hold(111, 1)]))).toEqual([
      [110],
      [111],
    ]);
  });

  it('a shell between launcher and rank is part of the job', () => {
    const jobs = jobsOf(
      [
        torchrun(100),
        facts({ pid: 105, parentPid: 100, name: 'bash', command: ['bash', 'run.sh'] }),
        facts({ pid: 110, parentPid: 105, environment: rankOf(0, 2) }),
      ],
      [hold(110, 0)],
    );
    expect(pidsOf(jobs)).toEqual([[100, 105, 110]]);
  });

  it('orphaned workers of a dead rank join their run through the environment they inherited', () => {
    const devices = ['/dev/nvidia-uvm', '/dev/nvidia0', '/dev/nvidia1', '/dev/nvidiactl'];
    const environment = rankOf(0, 2, { torchelasticRunFolder: '/tmp/a' });
    const worker = (pid: number) => facts({ pid, name: 'pt_data_worker', openDevices: devices, environment });
    const [job, ...others] = jobsOf([worker(301), worker(302)], []);
    expect(others).toEqual([]);
    expect(rolesOf(job)).toEqual({ 301: 'worker', 302: 'worker' });
    expect(job?.members[0]?.cards).toEqual([
      { gpuIndex: 0, usedBytes: null },
      { gpuIndex: 1, usedBytes: null },
    ]);
    expect(job?.memoryBytes).toBeNull();
  });
});

describe('what cannot be read', () => {
  it('a process of another user with nothing readable is a job of its own, with the name nvidia-smi gives', () => {
    const hidden = facts({
      pid: 900,
      uid: 1001,
      user: 'bob',
      parentPid: 1,
      command: null,
      environment: null,
      openDevices: null,
      name: 'python',
    });
    const [job, ...others] = jobsOf([hidden, facts({ pid: 901 })], [hold(900, 0), hold(901, 0)]);
    expect(job).toMatchObject({ title: 'python3', user: 'bob', ownedByMe: false, kind: 'single' });
    expect(others).toHaveLength(1);
  });

  it('a pid that is gone keeps its memory in sight, without an identity', () => {
    const gone = facts({
      pid: 900,
      startTime: null,
      startedAt: null,
      uid: null,
      user: null,
      parentPid: null,
      command: null,
      environment: null,
      openDevices: null,
      residentBytes: null,
      cpuPercent: null,
      state: 'unknown',
      name: '900',
      unreadable: [{ facts: 'process', reason: 'gone' }],
    });
    expect(jobsOf([gone], [hold(900, 0, 5 * GiB)])).toMatchObject([
      {
        id: '900-unknown',
        memoryBytes: 5 * GiB,
        user: null,
        ownedByMe: null,
        residentBytes: null,
        cpuPercent: null,
      },
    ]);
  });

  it('tools that only ask NVML are no jobs', () => {
    const asks = facts({ pid: 900, openDevices: ['/dev/nvidia0', '/dev/nvidiactl'] });
    const smi = facts({ pid: 901, name: 'nvidia-smi', openDevices: ['/dev/nvidia-uvm', '/dev/nvidia0'] });
    expect(jobsOf([asks, smi], [])).toEqual([]);
  });
});

describe('counting', () => {
  it('adds up the MIG instances and types of one process on one card, and keeps cards apart', () => {
    const [job] = jobsOf(
      [facts({ pid: 100 })],
      [hold(100, 0, GiB), { ...hold(100, 0, 2 * GiB), type: 'C+G' }, hold(100, 3, 4 * GiB)],
    );
    expect(job?.members[0]?.cards).toEqual([
      { gpuIndex: 0, usedBytes: 3 * GiB },
      { gpuIndex: 3, usedBytes: 4 * GiB },
    ]);
    expect(job?.memoryBytes).toBe(7 * GiB);
  });

  it('no process is in two jobs, none on a card is left out, whatever the table', () => {
    const arbitraryFacts = fc.record({
      parent: fc.integer({ min: 0, max: 12 }),
      rank: fc.option(fc.integer({ min: 0, max: 3 }), { nil: null }),
      port: fc.constantFrom(29_500, 29_501),
      command: fc.constantFrom(
        ['python3', 'train.py'],
        ['torchrun', 'train.py'],
        ['-bash'],
        ['python3', '-m', 'ipykernel_launcher'],
        null,
      ),
      onCard: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(arbitraryFacts, { maxLength: 12 }), (rows) => {
        const processes = rows.map(({ parent, rank, port, command }, at) =>
          facts({
            pid: at + 2,
            parentPid: parent + 1,
            command,
            environment: rank === null ? noRank : rankOf(rank, 4, { masterPort: port }),
          }),
        );
        const holds = rows.flatMap(({ onCard }, at) => (onCard ? [hold(at + 2, at % 4)] : []));
        const jobs = jobsOf(processes, holds);
        const members = pidsOf(jobs).flat();
        expect(new Set(members).size).toBe(members.length);
        expect(holds.filter(({ pid }) => !members.includes(pid))).toEqual([]);
        expect(new Set(jobs.map(({ id }) => id)).size).toBe(jobs.length);
      }),
    );
  });
});
