import { describe, expect, it } from 'vitest';
import { wholeWorld } from '../../../../../shared/jobs/world';
import { judgeJobs, noPasts, type StaleMemory } from '../../../../../shared/jobs/stale/judge';
import type { Job, ProcessFacts } from '../../../../../shared/jobs/types';
import { translate } from '../../../../../shared/i18n/translate';
import { facts, hold, jobsOf, rankOf, recordedTable } from '../facts';

const holds = [hold(677, 0), hold(678, 0)];
const elastic = { torchelasticRunId: 'none' };

function judge(
  jobs: readonly Job[],
  memory: StaleMemory = noPasts,
  now = 1000,
  ports: readonly number[] | null = [29_500],
  livingContainers: ReadonlySet<string> | null = null,
) {
  return judgeJobs(memory, {
    jobs,
    now,
    busyCards: new Map<number, number>(),
    listeningPorts: ports === null ? null : new Set(ports),
    livingContainers,
    world: wholeWorld,
  });
}

const verdicts = (jobs: readonly Job[]) => jobs.map(({ verdict }) => verdict);
const signs = (job: Job | undefined) => (job?.reasons ?? []).map(({ sign }) => sign);
const against = (job: Job | undefined) => (job?.against ?? []).map(({ sign }) => sign);

/** One process alone on card 0, judged once, and again `later` seconds on without having done anything. */
function alone(given: Partial<ProcessFacts>, later = 0) {
  const jobs = jobsOf([facts({ pid: 50, ...given })], [hold(50, 0)]);
  const first = judge(jobs, noPasts, 1000, null);
  return later === 0 ? first.jobs[0] : judge(jobs, first.memory, 1000 + later, null).jobs[0];
}

describe('a process that ends while it is watched', () => {
  const living = jobsOf([facts({ pid: 50 })], [hold(50, 0)]);
  const dying = jobsOf([facts({ pid: 50, state: 'Z' })], [hold(50, 0)], living);

  it('is no leftover while the driver tears its memory down, and one where it still holds it after ten seconds', () => {
    const before = judge(living, noPasts, 1000, null);
    const ended = judge(dying, before.memory, 1001, null);
    expect(verdicts(ended.jobs)).toEqual(['healthy']);
    const soon = judge(dying, ended.memory, 1004, null);
    expect(verdicts(soon.jobs)).toEqual(['healthy']);
    expect(verdicts(judge(dying, soon.memory, 1012, null).jobs)).toEqual(['stale']);
  });
});

describe('the recorded ranks', () => {
  const running = jobsOf(recordedTable('running'), holds);
  const orphaned = jobsOf(recordedTable('orphaned'), holds, running);

  it('are healthy while torchrun is above them', () => {
    const [job] = judge(running).jobs;
    expect(job?.verdict).toBe('healthy');
    expect(against(job)).toEqual(['launcher-alive']);
  });

  it('are stale at once when their launcher was killed, and it is said since when', () => {
    const before = judge(running);
    const after = judge(orphaned, before.memory, 1001, []);
    const [job] = judge(orphaned, after.memory, 1009, []).jobs;
    expect(job?.verdict).toBe('stale');
    expect(signs(job)).toEqual(['launcher-gone', 'port-silent']);
    expect(translate('en', job?.reasons[0]?.text ?? { key: 'common.unknown', values: {} })).toMatch(
      /^Its launcher \(pid \d+\) ended 8 sec ago\.$/,
    );
  });

  it('are stale too where Headroom started after the launcher had died', () =>
    expect(verdicts(judge(jobsOf(recordedTable('orphaned'), holds)).jobs)).toEqual(['stale']));
});

describe('what looks like a leftover and is none', () => {
  it.each<[string, Partial<ProcessFacts>]>([
    ['a nohup job', { parentPid: 1, command: ['python3', 'train.py'] }],
    ['a job in a session of its own', { parentPid: 1, session: 50, terminal: 0 }],
    ['a double-forked service', { parentPid: 1, cgroup: '/system.slice/inference.service' }],
    ['a job that was stopped by hand', { state: 'T', parentPid: 40 }],
    ['a process that waits without using the card', { cpuSeconds: 0, cpuPercent: 0 }],
    ['a notebook kernel', { command: ['python3', '-m', 'ipykernel_launcher', '-f', 'kernel-1.json'] }],
  ])('%s', (_name, given) => {
    expect(alone(given)?.verdict).toBe('healthy');
    expect(alone(given, 7200)?.verdict).toBe('idle');
  });

  it('a rank that saves a checkpoint after its launcher died', () => {
    const process = facts({ pid: 50, environment: rankOf(0, 2, elastic), writesCheckpoint: true });
    const [job] = judge(jobsOf([process], [hold(50, 0)])).jobs;
    expect(job?.verdict).toBe('healthy');
    expect(against(job)).toContain('checkpoint-open');
  });

  it('a run beside a stale one of the same script', () => {
    const old = [0, 1].map((rank) =>
      facts({
        pid: 60 + rank,
        startedAt: 100,
        environment: rankOf(rank, 2, { ...elastic, torchelasticRunFolder: '/tmp/a' }),
      }),
    );
    const launcher = facts({
      pid: 80,
      command: ['python3', '/usr/bin/torchrun', 'train.py'],
      startedAt: 900,
    });
    const young = [0, 1].map((rank) =>
      facts({
        pid: 81 + rank,
        parentPid: 80,
        startedAt: 901,
        environment: rankOf(rank, 2, { ...elastic, torchelasticRunFolder: '/tmp/b' }),
      }),
    );
    const table = [...old, launcher, ...young];
    const jobs = judge(
      jobsOf(
        table,
        [60, 61, 81, 82].map((pid) => hold(pid, pid % 2)),
      ),
    ).jobs;
    expect(jobs.map(({ verdict, members }) => [verdict, members.map(({ process }) => process.pid)])).toEqual([
      ['stale', [60, 61]],
      ['healthy', [80, 81, 82]],
    ]);
    expect(signs(jobs[0])).toContain('newer-run');
  });
});

describe('other leftovers', () => {
  it('data-loader workers whose rank is dead', () => {
    const workers = [50, 51].map((pid) =>
      facts({ pid, name: 'pt_data_worker', parentPid: 1, openDevices: ['/dev/nvidia0', '/dev/nvidia-uvm'] }),
    );
    for (const job of judge(jobsOf(workers, [])).jobs) {
      expect(job.verdict).toBe('stale');
      expect(signs(job)).toContain('parent-gone');
      expect(signs(job)).toContain('device-open-unlisted');
    }
  });

  it('workers whose rank has just died are left ten seconds to notice it', () => {
    const worker = facts({
      pid: 50,
      name: 'pt_data_worker',
      parentPid: 1,
      openDevices: ['/dev/nvidia0', '/dev/nvidia-uvm'],
    });
    const jobs = jobsOf([worker], []);
    const question = {
      busyCards: new Map<number, number>(),
      listeningPorts: null,
      livingContainers: null,
      world: wholeWorld,
    };
    let memory = judgeJobs(noPasts, { ...question, jobs: [], now: 100 }).memory;
    const verdicts = [101, 105, 111].map((now) => {
      const step = judgeJobs(memory, { ...question, jobs, now });
      memory = step.memory;
      return step.jobs[0]?.verdict;
    });
    expect(verdicts).not.toContain(undefined);
    expect(verdicts.map((verdict) => verdict === 'stale')).toEqual([false, false, true]);
  });

  it('spawned children whose parent is dead', () =>
    expect(
      alone({
        parentPid: 1,
        command: ['python3', '-c', 'from multiprocessing.spawn import spawn_main', '--multiprocessing-fork'],
      })?.verdict,
    ).toBe('stale'));

  it('a process of a container that is gone', () =>
    expect(alone({ cgroup: `/docker/${'a'.repeat(64)} (deleted)` })?.verdict).toBe('stale'));

  it('ranks that lost one of their number are suspect, not stale, while nothing proves more', () => {
    const rank = (pid: number, number: number) =>
      facts({ pid, parentPid: 40, environment: rankOf(number, 2) });
    const both = jobsOf([rank(50, 0), rank(51, 1)], [hold(50, 0), hold(51, 1)]);
    const one = jobsOf([rank(50, 0)], [hold(50, 0)], both);
    const [job] = judge(one, judge(both).memory, 1010).jobs;
    expect(job?.verdict).toBe('suspect');
    expect(signs(job)).toEqual(['ranks-missing']);
  });

  it('one look is enough to miss a rank of a job that runs for long, and too early for one that starts', () => {
    const only = (startedAt: number) =>
      jobsOf([facts({ pid: 50, parentPid: 40, startedAt, environment: rankOf(0, 2) })], [hold(50, 0)]);
    const at = (startedAt: number) => judge(only(startedAt), noPasts, 1000).jobs[0];
    expect([at(400)?.verdict, signs(at(400))]).toEqual(['suspect', ['ranks-missing']]);
    expect([at(970)?.verdict, signs(at(970))]).toEqual(['healthy', []]);
  });

  it('a script that started a program and left proves nothing: a server whose starter left is healthy', () => {
    const starter = facts({ pid: 40, parentPid: 30, command: ['python3', 'submit.py'] });
    const server = (parentPid: number) => facts({ pid: 50, parentPid, command: ['trainer', '--serve'] });
    const before = jobsOf([starter, server(40)], [hold(50, 0)]);
    const after = jobsOf([server(1)], [hold(50, 0)], before);
    const [job] = judge(after, judge(before, noPasts, 1000, null).memory, 1010, null).jobs;
    expect([job?.verdict, signs(job)]).toEqual(['healthy', ['launcher-gone']]);
  });

  it('says of a process that waits in the kernel since when, which alone proves nothing', () => {
    const process = { state: 'D', parentPid: 40 } as const;
    expect(signs(alone(process, 20))).toEqual([]);
    const job = alone(process, 40);
    expect([job?.verdict, signs(job)]).toEqual(['healthy', ['uninterruptible']]);
  });

  it('shows idleness with the moment it began, and forgets it with the first work', () => {
    const at = (cpuSeconds: number) => jobsOf([facts({ pid: 50, cpuSeconds })], [hold(50, 0)]);
    const first = judge(at(10), noPasts, 1000, null);
    const idle = judge(at(10.5), first.memory, 1400, null);
    expect(idle.jobs[0]).toMatchObject({ verdict: 'idle', idleSince: 1000 });
    expect(judge(at(30), idle.memory, 1410, null).jobs[0]).toMatchObject({
      verdict: 'healthy',
      idleSince: null,
    });
  });
});
