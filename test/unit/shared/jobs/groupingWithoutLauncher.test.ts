import { describe, expect, it } from 'vitest';
import { bash, facts, GiB, hold, jobsOf, noRank, pidsOf, rankOf, rolesOf, torchrun } from './facts';

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
