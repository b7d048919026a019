import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { endJob, type EndingPorts } from '../../../../electron/ending/endJob';
import { linuxProcesses } from '../../../../electron/ending/processes';
import { endingPlan } from '../../../../shared/jobs/stale/ending';
import type { Job } from '../../../../shared/jobs/types';
import { protection, jobOf, judged, ownUid } from './judgedJobs';
import { isAlive, RealJobs, untilGone } from './realJobs';

function ports(more: Partial<EndingPorts> = {}): EndingPorts {
  return {
    processes: linuxProcesses,
    mayForce: () => Promise.resolve(true),
    memoryOf: (pids) => Promise.resolve([...pids].filter(isAlive).length * 2 ** 30),
    pause: (milliseconds) => pause(milliseconds),
    isCutShort: () => false,
    now: () => Date.now(),
    onProgress: () => undefined,
    onSignal: () => undefined,
    ...more,
  };
}

const end = (job: Job, more: Partial<EndingPorts> = {}) => endJob(endingPlan(job, protection), ports(more));

describe('leftovers of real processes', () => {
  it('ends the ranks whose launcher was killed, and nothing of the healthy run of the same script', async () => {
    const real = new RealJobs();
    const dead = real.torchrun('dead', { WORKERS: '1' });
    real.torchrun('well', { PORT: '29519' });
    const ranks = await real.pids('dead.rank0', 'dead.rank1');
    const workers = await real.pids('dead.rank0.worker0', 'dead.rank1.worker0');
    const healthy = await real.pids('well.rank0', 'well.rank1', 'well.launcher');
    dead.kill('SIGKILL');
    await untilGone(dead.pid ?? 0);

    const jobs = judged(...ranks, ...healthy.slice(0, 2));
    const stale = jobOf(jobs, ranks[0] ?? 0);
    expect(stale.verdict).toBe('stale');
    expect(jobOf(jobs, healthy[0] ?? 0).verdict).toBe('healthy');
    const report = await end(stale);
    expect(report.ended.map(({ pid }) => pid).toSorted()).toEqual([...ranks, ...workers].toSorted());
    expect(report.remaining).toEqual([]);
    expect(report.memoryBackBytes).toBe(4 * 2 ** 30);
    expect([...ranks, ...workers].filter(isAlive)).toEqual([]);
    expect(healthy.every(isAlive)).toBe(true);
  });

  it('ends the workers that outlived their rank', async () => {
    const real = new RealJobs();
    const rank = real.single('rank', { WORKERS: '2', RANK: '0', WORLD_SIZE: '1' });
    const workers = await real.pids('rank.worker0', 'rank.worker1');
    await real.pid('rank');
    rank.kill('SIGKILL');
    await untilGone(rank.pid ?? 0);
    const job = jobOf(judged(...workers), workers[0] ?? 0);
    expect(job.verdict).toBe('stale');
    const report = await end(job);
    expect(report.ended.map(({ pid, signal }) => [pid, signal]).toSorted()).toEqual(
      workers.map((pid) => [pid, 'SIGTERM']).toSorted(),
    );
  });

  it('forces a rank that ignores SIGTERM only after a second yes', async () => {
    const real = new RealJobs();
    real.single('stubborn', { IGNORES_TERM: '1' });
    const pid = await real.pid('stubborn');
    const hurried = { isCutShort: () => true };
    const refused = await end(jobOf(judged(pid), pid), {
      ...hurried,
      mayForce: () => Promise.resolve(false),
    });
    expect(refused).toMatchObject({
      ended: [],
      remaining: [{ pid, why: { key: 'ending.notForced' } }],
      memoryBackBytes: 0,
    });
    expect(isAlive(pid)).toBe(true);
    const asked: number[] = [];
    const forced = await end(jobOf(judged(pid), pid), {
      ...hurried,
      mayForce: (left) => {
        asked.push(...left.map((member) => member.process.pid));
        return Promise.resolve(true);
      },
    });
    expect(asked).toEqual([pid]);
    expect(forced.ended).toEqual([{ pid, signal: 'SIGKILL', result: 'ended' }]);
  });

  it('continues a stopped rank so that it can act on SIGTERM', async () => {
    const real = new RealJobs();
    real.single('stopped');
    const pid = await real.pid('stopped');
    process.kill(pid, 'SIGSTOP');
    const report = await end(jobOf(judged(pid), pid), { mayForce: () => Promise.resolve(false) });
    expect(report.ended).toEqual([{ pid, signal: 'SIGTERM', result: 'ended' }]);
  });
});

describe('what is left alone', () => {
  it.each([
    ['a job under nohup', (real: RealJobs) => real.nohup('lonely')],
    ['a double-forked service', (real: RealJobs) => real.service('lonely')],
  ])('%s, though nobody is above it any more', async (_name, begin) => {
    const real = new RealJobs();
    const starter = begin(real);
    const pid = await real.pid('lonely');
    await untilGone(starter.pid ?? 0);
    const [job] = judged(pid);
    expect(job?.members.map(({ process: { parentPid } }) => parentPid)).not.toContain(starter.pid);
    expect(job).toMatchObject({ verdict: 'healthy', reasons: [] });
  });

  it('a tmux server, that adopted the ranks of a dead launcher', async () => {
    const real = new RealJobs();
    real.tmux('pane');
    const ranks = await real.pids('pane.rank0', 'pane.rank1');
    const launcher = await real.pid('pane.launcher');
    const server = await real.pid('pane.tmux');
    expect(jobOf(judged(...ranks), launcher)).toMatchObject({ verdict: 'healthy' });
    process.kill(launcher, 'SIGKILL');
    await untilGone(launcher);
    const job = jobOf(judged(...ranks), ranks[0] ?? 0);
    expect(job.members.map(({ process: one }) => [one.pid, one.parentPid])).toEqual(
      ranks.map((pid) => [pid, server]),
    );
    expect(job.verdict).toBe('stale');
    const report = await end(job);
    expect(report.ended.map(({ pid }) => pid)).toEqual(ranks);
    expect(report.remaining).toEqual([]);
    expect(isAlive(server)).toBe(true);
  });

  it('a zombie, which is reported as what it is, while its orphaned workers end', async () => {
    const real = new RealJobs();
    real.careless('rank', { WORKERS: '2', RANK: '0', WORLD_SIZE: '1' });
    const parent = await real.pid('rank.parent');
    const workers = await real.pids('rank.worker0', 'rank.worker1');
    const rank = await real.pid('rank');
    process.kill(rank, 'SIGKILL');
    await untilGone(rank);
    const jobs = judged(rank, ...workers);
    const zombie = jobOf(jobs, rank);
    expect(zombie.members.find(({ process: one }) => one.pid === rank)?.process.state).toBe('Z');
    const report = await end(zombie);
    expect(report.remaining).toEqual([
      { pid: rank, why: { key: 'ending.keepsZombie', values: { pid: String(rank) } } },
    ]);
    const left = jobOf(jobs, workers[0] ?? 0);
    expect(left.verdict).toBe('stale');
    await end(left);
    expect(workers.filter(isAlive)).toEqual([]);
    expect(isAlive(parent)).toBe(true);
  });

  it('a process that got the pid after the job was shown', async () => {
    const real = new RealJobs();
    real.single('innocent');
    const pid = await real.pid('innocent');
    const job = jobOf(judged(pid), pid);
    const shown: Job = {
      ...job,
      members: job.members.map((member) => ({
        ...member,
        process: { ...member.process, startTime: (member.process.startTime ?? 0) - 1 },
      })),
    };
    const report = await end(shown);
    expect(report.ended).toEqual([{ pid, signal: null, result: 'already-gone' }]);
    expect(isAlive(pid)).toBe(true);
  });

  it('another user’s process, where an ordinary user asks', async () => {
    const real = new RealJobs();
    // Only root can start a process of somebody else; anybody else can at least be asked by somebody else.
    const nobody = 65_534;
    real.single('theirs', {}, ownUid === 0 ? nobody : undefined);
    const pid = await real.pid('theirs');
    const plan = endingPlan(jobOf(judged(pid), pid), {
      ...protection,
      uid: ownUid === 0 ? 1000 : ownUid + 1,
    });
    const report = await endJob(plan, ports());
    expect(report).toMatchObject({ ended: [], remaining: [{ pid, why: { key: 'ending.keepsOtherUser' } }] });
    expect(isAlive(pid)).toBe(true);
  });

  it('a process that vanished by itself counts as gone', async () => {
    const real = new RealJobs();
    real.single('brief');
    const pid = await real.pid('brief');
    const job = jobOf(judged(pid), pid);
    process.kill(pid, 'SIGKILL');
    await untilGone(pid);
    expect((await end(job)).ended).toEqual([{ pid, signal: null, result: 'already-gone' }]);
  });

  it('groups and the first process are never signalled', async () => {
    for (const pid of [0, 1, -1, -7, 1.5, Number.NaN])
      expect(await linuxProcesses.signal(pid, 'SIGTERM')).toBe('refused');
  });

  it('a process of which nobody says who it is', async () => {
    const real = new RealJobs();
    real.single('silent');
    const pid = await real.pid('silent');
    const silent = { ...linuxProcesses, identify: () => Promise.resolve(new Map()) };
    const report = await end(jobOf(judged(pid), pid), { processes: silent });
    expect(report).toMatchObject({ ended: [], remaining: [{ pid, why: { key: 'ending.keepsUnknown' } }] });
    expect(isAlive(pid)).toBe(true);
  });
});

describe('main meanwhile', () => {
  it('has its turns while a job of many processes is looked at', async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const pids = Array.from({ length: 1000 }, () => process.pid);
    const found = await linuxProcesses.identify(pids);
    clearImmediate(counting);
    expect(found.get(process.pid)).toMatchObject({ uid: ownUid });
    expect(turns).toBeGreaterThanOrEqual(9);
  });
});
