import { describe, expect, it } from 'vitest';
import { endingPlan } from '../../../../../shared/jobs/stale/ending';
import {
  endsMoreThanShown,
  heldBytes,
  identitiesOf,
  isOfferedForFreeing,
  memoryOn,
} from '../../../../../shared/jobs/stale/freeing';
import { jobName, jobsCalled } from '../../../../../shared/jobs/stale/naming';
import type { Job } from '../../../../../shared/jobs/types';
import { facts, GiB, hold, jobsOf } from '../facts';

const protection = { uid: 1000, ownPids: new Set<number>() };
const [two] = jobsOf(
  [facts({ pid: 50 }), facts({ pid: 51, parentPid: 50 })],
  [hold(50, 0, 3 * GiB), hold(50, 1, GiB)],
);
if (two === undefined) throw new Error('no job');
const stale: Job = { ...two, verdict: 'stale', ownedByMe: true };

describe('what was shown and what would end', () => {
  const plan = endingPlan(stale, protection);
  const shown = identitiesOf(plan.ends);

  it('is the same, or less', () => {
    expect(shown).toEqual([
      { pid: 50, startTime: 1050 },
      { pid: 51, startTime: 1051 },
    ]);
    expect(endsMoreThanShown(plan, shown)).toBe(false);
    expect(endsMoreThanShown({ ...plan, ends: plan.ends.slice(1) }, shown)).toBe(false);
  });

  it('is never more, nor another process of the same pid', () => {
    expect(endsMoreThanShown(plan, shown.slice(1))).toBe(true);
    expect(endsMoreThanShown(plan, [])).toBe(true);
    expect(
      endsMoreThanShown(
        plan,
        shown.map(({ pid }) => ({ pid, startTime: 7 })),
      ),
    ).toBe(true);
  });

  it('counts memory of all cards, unknown where none is known', () => {
    expect(heldBytes(plan.ends)).toBe(4 * GiB);
    expect(heldBytes(plan.ends.slice(1))).toBeNull();
  });
});

describe('what the window offers', () => {
  it.each<[string, Partial<Job>, boolean]>([
    ['a stale job', {}, true],
    ['a suspect one', { verdict: 'suspect' }, true],
    ['an idle one', { verdict: 'idle' }, false],
    ['a healthy one', { verdict: 'healthy' }, false],
    ['another user’s', { ownedByMe: false }, false],
    ['one whose user is not known', { ownedByMe: null }, true],
    ['one of which only a zombie is left', { members: zombies(stale) }, false],
  ])('%s: %s', (_name, given, offered) => expect(isOfferedForFreeing({ ...stale, ...given })).toBe(offered));
});

function zombies(job: Job): Job['members'] {
  return job.members.map((member) => ({ ...member, process: { ...member.process, state: 'Z' } }));
}

describe('memory that still hangs on a job', () => {
  const processes = [
    { pid: 50, gpuIndex: 0, usedBytes: 3 * GiB },
    { pid: 60, gpuIndex: 0, usedBytes: GiB },
    { pid: 99, gpuIndex: 1, usedBytes: 5 * GiB },
  ];
  const cards = [
    { index: 0, memoryUsedBytes: 4 * GiB },
    { index: 1, memoryUsedBytes: 7 * GiB },
  ];
  const living = new Set([50, 60]);

  it('is what nvidia-smi lists for its pids', () =>
    expect(memoryOn(new Set([50]), new Set(), { cards, processes, living })).toBe(3 * GiB));
  it('is 0 once it lists none of them', () =>
    expect(memoryOn(new Set([51]), new Set(), { cards, processes, living })).toBe(0));
  it('is all that no living process holds, where it never listed them', () =>
    expect(memoryOn(new Set([70]), new Set([1]), { cards, processes, living })).toBe(7 * GiB));
  it('is unknown where nvidia-smi cannot be asked or does not say', () => {
    expect(memoryOn(new Set([50]), new Set(), { cards: [], processes: [], living })).toBeNull();
    const unsaid = [{ pid: 50, gpuIndex: 0, usedBytes: null }];
    expect(memoryOn(new Set([50]), new Set(), { cards, processes: unsaid, living })).toBeNull();
    const unread = [{ index: 1, memoryUsedBytes: null }];
    expect(memoryOn(new Set([70]), new Set([1]), { cards: unread, processes, living })).toBeNull();
  });
});

describe('names of jobs on a command line', () => {
  const other: Job = { ...stale, id: '60-1060', members: stale.members.slice(0, 0) };
  const jobs = [stale, other];

  it('are ids on a machine, of a process that lives', () => {
    expect(jobName(stale, jobs, false)).toBe('50-1050');
    expect(jobName({ ...stale, id: '49-1' }, jobs, false)).toBe('50-1050');
  });

  it('are titles in a scene, numbered where several are alike', () =>
    expect(jobs.map((job) => jobName(job, jobs, true))).toEqual(['train.py', 'train.py#2']));

  it.each([
    ['50-1050', false, 1],
    ['51', false, 1],
    ['51-1051', false, 1],
    ['51-7', false, 0],
    ['train.py', false, 2],
    ['train.py', true, 1],
    ['train.py#2', true, 1],
    ['nothing', false, 0],
  ])('%s (scene: %s) means %s jobs', (word, simulated, count) =>
    expect(jobsCalled(word, jobs, simulated)).toHaveLength(count),
  );
});
