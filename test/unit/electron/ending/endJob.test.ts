import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { endJob, type EndingPorts } from '../../../../electron/ending/endJob';
import { linuxProcesses } from '../../../../electron/ending/processes';
import { endingPlan } from '../../../../shared/jobs/stale/ending';
import type { Job } from '../../../../shared/jobs/types';
import { asker, jobOf, judged, ownUid } from './judgedJobs';
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

const end = (job: Job, more: Partial<EndingPorts> = {}) => endJob(endingPlan(job, asker), ports(more));

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
  it('a job under nohup and a double-forked service are healthy', async () => {
    const real = new RealJobs();
    const parent = real.torchrun('forked', { NPROC: '0' });
    real.single('nohup');
    const pid = await real.pid('nohup');
    parent.kill();
    expect(jobOf(judged(pid), pid)).toMatchObject({ verdict: 'healthy', reasons: [] });
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

  it.runIf(ownUid === 0)('another user’s process, where an ordinary user asks', async () => {
    const real = new RealJobs();
    const nobody = 65_534;
    real.single('theirs', {}, nobody);
    const pid = await real.pid('theirs');
    const plan = endingPlan(jobOf(judged(pid), pid), { ...asker, uid: 1000 });
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

  it('groups and the first process are never signalled', () => {
    for (const pid of [0, 1, -1, -7, 1.5, Number.NaN])
      expect(linuxProcesses.signal(pid, 'SIGTERM')).toBe('refused');
  });
});
