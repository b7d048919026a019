import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProcessFacts } from '../../../../shared/jobs/types';
import { facts, GiB, hold, jobsOf, noRank, pidsOf, rankOf, recordedTable, rolesOf } from './facts';

const torchrun = (pid: number, script = 'train.py', more: Partial<ProcessFacts> = {}) =>
  facts({
    pid,
    name: 'pt_elastic',
    parentPid: 50,
    command: ['python3', '-m', 'torch.distributed.run', '--nproc_per_node=2', script],
    ...more,
  });
const bash = facts({ pid: 50, name: 'bash', command: ['-bash'], parentPid: 40 });

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

describe('without a launcher', () => {
  it('orphaned workers of a dead single process are one job, two such runs are two', () => {
    const openDevices = ['/dev/nvidia-uvm', '/dev/nvidia0'];
    const worker = (pid: number, group: number) =>
      facts({ pid, openDevices, processGroup: group, session: 7 });
    expect(pidsOf(jobsOf([worker(301, 300), worker(302, 300), worker(401, 400)], []))).toEqual([
      [301, 302],
      [401],
    ]);
  });

  it('mp.spawn: the parent is the launcher, its children on cards are ranks', () => {
    const spawned = [
      'python3',
      '-c',
      'from multiprocessing.spawn import spawn_main',
      '--multiprocessing-fork',
    ];
    const [job] = jobsOf(
      [
        bash,
        facts({ pid: 100, parentPid: 50 }),
        facts({ pid: 101, parentPid: 100, command: spawned }),
        facts({ pid: 102, parentPid: 100, command: spawned }),
        facts({
          pid: 103,
          parentPid: 100,
          command: ['python3', '-c', 'from multiprocessing.resource_tracker import main'],
        }),
      ],
      [hold(101, 0), hold(102, 1)],
    );
    expect(rolesOf(job)).toMatchObject({ 100: 'launcher', 101: 'rank', 102: 'rank' });
    expect(job).toMatchObject({ kind: 'spawn', title: 'train.py', worldSize: 2 });
  });

  it('a sweep’s driver does not tie its trials together', () => {
    const trial = (pid: number, lr: string) =>
      facts({ pid, parentPid: 100, command: ['python3', 'trial.py', '--lr', lr] });
    const jobs = jobsOf(
      [facts({ pid: 100, command: ['python3', 'sweep.py'] }), trial(101, '1'), trial(102, '2')],
      [hold(101, 0), hold(102, 1)],
    );
    expect(pidsOf(jobs)).toEqual([[101], [102]]);
  });

  it('memory of a pid that is gone stays with the workers of that process, which keep it', () => {
    const worker = (pid: number, parentPid: number) =>
      facts({
        pid,
        parentPid,
        name: 'pt_data_worker',
        openDevices: ['/dev/nvidia0', '/dev/nvidia-uvm'],
      });
    const before = jobsOf([facts({ pid: 100 }), worker(101, 100), worker(102, 100)], [hold(100, 0)]);
    const gone = facts({
      pid: 100,
      startTime: null,
      command: null,
      unreadable: [{ facts: 'process', reason: 'gone' }],
    });
    const [job, ...others] = jobsOf([gone, worker(101, 1), worker(102, 1)], [hold(100, 0, 3 * GiB)], before);
    expect(others).toEqual([]);
    expect([job?.id, job?.memoryBytes]).toEqual([before[0]?.id, 3 * GiB]);
    expect(pidsOf(job === undefined ? [] : [job])).toEqual([[100, 101, 102]]);
  });

  it('workers whose parent has just died stay one job, also under a subreaper', () => {
    const worker = (pid: number, parentPid: number) =>
      facts({ pid, parentPid, processGroup: pid, openDevices: ['/dev/nvidia0', '/dev/nvidia-uvm'] });
    const before = jobsOf([facts({ pid: 100 }), worker(101, 100), worker(102, 100)], [hold(100, 0)]);
    expect(pidsOf(before)).toEqual([[100, 101, 102]]);
    const subreaper = facts({ pid: 7, name: 'systemd', command: ['/usr/lib/systemd/systemd', '--user'] });
    for (const left of [
      [worker(101, 100), worker(102, 100)], // Read while their parent was ending.
      [worker(101, 100), worker(102, 1)],
      [subreaper, worker(101, 7), worker(102, 7)],
    ]) {
      const jobs = jobsOf(left, [], before);
      expect([pidsOf(jobs), jobs[0]?.id]).toEqual([[[101, 102]], before[0]?.id]);
    }
    const strangers = jobsOf([worker(201, 100), worker(202, 100)], [], before);
    expect(pidsOf(strangers)).toEqual([[201], [202]]);
  });

  it('a driver’s torchruns are jobs of their own, each under its own script', () => {
    const run = (pid: number, script: string) => [
      torchrun(pid, script, { parentPid: 100 }),
      ...[0, 1].map((rank) =>
        facts({
          pid: pid + 1 + rank,
          parentPid: pid,
          command: ['python3', script],
          environment: { ...rankOf(rank, 2), masterPort: pid },
        }),
      ),
    ];
    const jobs = jobsOf(
      [facts({ pid: 100, command: ['python3', 'all.py'] }), ...run(200, 'a.py'), ...run(300, 'b.py')],
      [hold(201, 0), hold(202, 1), hold(301, 0), hold(302, 1)],
    );
    expect(jobs.map(({ title }) => title)).toEqual(['a.py', 'b.py']);
    expect(pidsOf(jobs)).toEqual([
      [200, 201, 202],
      [300, 301, 302],
    ]);
  });

  it('single runs from one shell are jobs of their own', () => {
    const run = (pid: number) => facts({ pid, parentPid: 50 });
    expect(pidsOf(jobsOf([bash, run(101), run(102)], [hold(101, 0), hold(102, 0)]))).toEqual([[101], [102]]);
  });

  it('notebook kernels stay apart from each other and from their server', () => {
    const kernel = (pid: number, folder: string) =>
      facts({
        pid,
        parentPid: 90,
        workingFolder: folder,
        command: ['python3', '-m', 'ipykernel_launcher', '-f', '/run/k.json'],
      });
    const jobs = jobsOf(
      [
        facts({ pid: 90, command: ['python3', '/usr/bin/jupyter-lab'] }),
        kernel(101, '/home/ada/vision'),
        kernel(102, '/home/ada/speech'),
        facts({
          pid: 103,
          parentPid: 102,
          command: ['python3', '-m', 'ipykernel_launcher', '-f', '/run/k.json'],
        }),
      ],
      [hold(101, 0), hold(102, 0)],
    );
    expect(pidsOf(jobs)).toEqual([[101], [102, 103]]);
    expect(jobs.map(({ kind, title }) => [kind, title])).toEqual([
      ['notebook', 'vision'],
      ['notebook', 'speech'],
    ]);
    expect(rolesOf(jobs[1])).toEqual({ 102: 'notebook', 103: 'worker' });
  });

  it('Slurm: the tasks of one step are one job, another step is another', () => {
    const task = (pid: number, rank: number, step: string) =>
      facts({
        pid,
        parentPid: 80,
        environment: { ...noRank, rank, worldSize: 2, slurmJobId: '7', slurmStepId: step },
      });
    const jobs = jobsOf(
      [
        facts({ pid: 80, name: 'slurmstepd', command: ['slurmstepd: [7.0]'] }),
        task(101, 0, '0'),
        task(102, 1, '0'),
        task(201, 0, '1'),
        task(202, 1, '1'),
      ],
      [hold(101, 0), hold(102, 1), hold(201, 2), hold(202, 3)],
    );
    expect(pidsOf(jobs)).toEqual([
      [101, 102],
      [201, 202],
    ]);
    expect(jobs[0]?.kind).toBe('slurm');
  });

  it('containers do not mix, even with the same address and port', () => {
    const rank = (pid: number, number: number, container: string) =>
      facts({
        pid,
        environment: rankOf(number, 2),
        cgroup: `/system.slice/docker-${container.repeat(64)}.scope`,
      });
    const jobs = jobsOf(
      [rank(101, 0, 'a'), rank(102, 1, 'a'), rank(201, 0, 'b'), rank(202, 1, 'b')],
      [hold(101, 0), hold(102, 1), hold(201, 2), hold(202, 3)],
    );
    expect(pidsOf(jobs)).toEqual([
      [101, 102],
      [201, 202],
    ]);
  });

  it('one process in a container is a container job', () => {
    const [job] = jobsOf([facts({ pid: 101, cgroup: `/docker/${'a'.repeat(64)}` })], [hold(101, 0)]);
    expect(job?.kind).toBe('container');
  });

  it('the screen’s programs of one user are one job', () => {
    const [job, ...others] = jobsOf(
      [
        facts({ pid: 101, uid: 0, name: 'Xorg', command: ['/usr/lib/xorg/Xorg', ':0'] }),
        facts({ pid: 102, uid: 0, name: 'gnome-shell', command: ['/usr/bin/gnome-shell'] }),
      ],
      [
        { ...hold(101, 0), type: 'G' },
        { ...hold(102, 0), type: 'G' },
      ],
    );
    expect(others).toEqual([]);
    expect(job).toMatchObject({ kind: 'desktop', title: 'Xorg, gnome-shell', ownedByMe: false });
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
