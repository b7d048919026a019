import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endingPlan } from '../../../../../shared/jobs/stale/ending';
import type { ProcessFacts } from '../../../../../shared/jobs/types';
import { facts, hold, jobsOf, rankOf } from '../facts';

const protection = { uid: 1000, ownPids: new Set([7]) };
const ended = (processes: readonly ProcessFacts[], pids: readonly number[]) => {
  const jobs = jobsOf(
    processes,
    pids.map((pid) => hold(pid, 0)),
  );
  return jobs.map((job) => endingPlan(job, protection).ends.map(({ process }) => process.pid));
};

describe('who ends', () => {
  it('the launcher first, then ranks, then workers', () => {
    const table = [
      facts({ pid: 20, parentPid: 10, command: ['python3', '/usr/bin/torchrun', 'train.py'] }),
      facts({ pid: 22, parentPid: 20, environment: rankOf(1, 2) }),
      facts({ pid: 21, parentPid: 20, environment: rankOf(0, 2) }),
      facts({ pid: 23, parentPid: 21, name: 'pt_data_worker', environment: rankOf(0, 2) }),
    ];
    expect(ended(table, [21, 22])).toEqual([[20, 21, 22, 23]]);
  });

  it.each<[string, Partial<ProcessFacts>, string]>([
    ['another user', { uid: 1001, user: 'bob' }, 'ending.keepsOtherUser'],
    ['no identity', { startTime: null }, 'ending.keepsUnknown'],
    ['a zombie', { state: 'Z' }, 'ending.keepsZombie'],
    ['a kernel of a notebook', { command: ['python3', '-m', 'ipykernel_launcher'] }, 'ending.keepsNotebook'],
    [
      'another container',
      { unreadable: [{ facts: 'process', reason: 'otherNamespace' }] },
      'ending.keepsNamespace',
    ],
    ['the desktop', { command: ['/usr/lib/xorg/Xorg'], name: 'Xorg' }, 'ending.keepsDesktop'],
  ])('not %s, and it is said why', (_name, given, why) => {
    const [job] = jobsOf([facts({ pid: 50, ...given })], [hold(50, 0)]);
    const plan = job === undefined ? null : endingPlan(job, protection);
    expect(plan?.ends).toEqual([]);
    expect(plan?.keeps.map((kept) => kept.why.key)).toEqual([why]);
  });

  it('not the fork of a kernel, which looks like one', () => {
    const kernel = ['python3', '-m', 'ipykernel_launcher'];
    const table = [
      facts({ pid: 19, command: kernel }),
      facts({ pid: 23, parentPid: 19, command: kernel, environment: rankOf(0, 1) }),
    ];
    expect(ended(table, [23])).toEqual([[]]);
  });

  it('nobody else’s for root either, and never Headroom itself', () => {
    const jobs = jobsOf(
      [facts({ pid: 50, uid: 1001 }), facts({ pid: 51, uid: 0 }), facts({ pid: 7, uid: 0 })],
      [hold(50, 0), hold(51, 0), hold(7, 0)],
    );
    const root = { uid: 0, ownPids: new Set([7]) };
    expect(jobs.flatMap((job) => endingPlan(job, root).ends.map(({ process }) => process.pid))).toEqual([51]);
  });
});

const commands = [
  ['python3', 'train.py'],
  ['python3', '/usr/bin/torchrun', 'train.py'],
  ['bash'],
  ['tmux: server'],
  ['systemd', '--user'],
  ['/usr/lib/xorg/Xorg', ':0'],
  ['python3', '-m', 'ipykernel_launcher'],
  ['python3', '-c', 'spawn_main', '--multiprocessing-fork'],
  ['jupyter-lab'],
  ['node', 'server.js'],
];
const protectedWords = /^(bash|tmux: server|systemd|.*Xorg|jupyter-lab|node)$/;

const process = fc.record({
  pid: fc.integer({ min: 1, max: 60 }),
  parentPid: fc.integer({ min: 0, max: 60 }),
  uid: fc.constantFrom(1000, 1000, 1000, 0, 1001),
  startTime: fc.oneof(fc.integer({ min: 1, max: 99 }), fc.constant(null)),
  state: fc.constantFrom('R' as const, 'S' as const, 'Z' as const, 'D' as const, 'T' as const),
  command: fc.oneof(fc.constantFrom(...commands), fc.constant(null)),
  rank: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 3 })),
  onCard: fc.boolean(),
});

describe('1,000 random process tables', () => {
  it('end no protected, unconfirmed, foreign or other job’s process', () => {
    fc.assert(
      fc.property(fc.uniqueArray(process, { selector: ({ pid }) => pid, maxLength: 25 }), (table) => {
        const processes = table.map(({ rank, onCard: _onCard, ...given }) =>
          facts({ ...given, ...(rank === null ? {} : { environment: rankOf(rank, 4) }) }),
        );
        const onCard = table.filter((one) => one.onCard).map(({ pid }) => hold(pid, 0));
        const seen = new Set<number>();
        for (const job of jobsOf(processes, onCard)) {
          const members = new Set(job.members.map((member) => member.process.pid));
          for (const { process: one } of endingPlan(job, protection).ends) {
            expect(members.has(one.pid)).toBe(true);
            expect(seen.has(one.pid)).toBe(false);
            seen.add(one.pid);
            expect(one.startTime).not.toBeNull();
            expect(one.uid).toBe(1000);
            expect(one.pid).not.toBe(7);
            expect(one.pid).toBeGreaterThan(2);
            expect(one.state).not.toBe('Z');
            expect((one.command?.[0] ?? '').match(protectedWords)).toBeNull();
            expect(one.command).not.toEqual(['python3', '-m', 'ipykernel_launcher']);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});
