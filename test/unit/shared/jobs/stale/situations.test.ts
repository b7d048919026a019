/**
 * The matrix of situations: each sign that a job is a leftover, against each counter-sign and with each part of the world
 * out of sight. A row of `leftovers` is found as it stands; every change of `saves` must keep its processes.
 */
import { describe, expect, it } from 'vitest';
import type { JobVerdict } from '../../../../../shared/jobs/types';
import { facts, hold, machineInit, rankOf } from '../facts';
import { endedIn, look, type Situation } from './worlds';

const elastic = (rank: number, more = {}) =>
  rankOf(rank, 2, { torchelasticRunId: 'none', torchelasticRunFolder: '/tmp/a', ...more });
const still = { cpuPercent: 0, cpuSeconds: 100 } as const;
const spawnMain = (pipe: number) => [
  'python3',
  '-c',
  `from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=5, pipe_handle=${pipe})`,
  '--multiprocessing-fork',
];
const container = 'c0ffee'.padEnd(64, '0');

const leftovers: Readonly<Record<string, Situation>> = {
  'both ranks of a torchrun that is gone': {
    table: [20, 21].map((pid, rank) => facts({ pid, startedAt: 100, environment: elastic(rank), ...still })),
    holds: [hold(20, 0), hold(21, 1)],
  },
  'spawned children of a dead script': {
    table: [20, 21].map((pid) =>
      facts({ pid, session: 9, processGroup: 9, command: spawnMain(pid), ...still }),
    ),
    holds: [hold(20, 0), hold(21, 1)],
  },
  'a process of a removed container': {
    table: [facts({ pid: 20, cgroup: `/system.slice/docker-${container}.scope`, ...still })],
    holds: [hold(20, 0)],
    livingContainers: [],
  },
  'a child below a dead leader': {
    table: [facts({ pid: 20, state: 'Z', command: null }), facts({ pid: 21, parentPid: 20, ...still })],
    holds: [hold(20, 0)],
  },
  'forks of a dead process that pin a card': {
    table: [20, 21].map((pid) =>
      facts({
        pid,
        session: 9,
        processGroup: 9,
        openDevices: ['/dev/nvidia0', '/dev/nvidia-uvm'],
        ...still,
      }),
    ),
    holds: [],
    afterSeconds: 90,
  },
};

const saves: Readonly<Record<string, (situation: Situation) => Situation>> = {
  'a checkpoint is open': each((process) => ({ ...process, writesCheckpoint: true })),
  'it is a unit of a service': each((process) => ({ ...process, cgroup: '/system.slice/train.service' })),
  'it is a unit of the user’s services': each((process) => ({
    ...process,
    cgroup: '/user.slice/user-1000.slice/user@1000.service/app.slice/train.service',
  })),
  'it is somebody else’s': each((process) => ({ ...process, uid: 1001, user: 'bob' })),
  'pid 1 may not be read': (situation) => ({ ...situation, init: { ...machineInit, command: null } }),
  'pid 1 is out of sight': (situation) => ({ ...situation, init: null }),
  'its command lines may not be read': each((process) => ({ ...process, command: null })),
  'its open files may not be read': each((process) => ({
    ...process,
    writesCheckpoint: null,
    openDevices: null,
  })),
  'its cgroups may not be read': each((process) => ({ ...process, cgroup: null })),
  'its users may not be read': each((process) => ({ ...process, uid: null, user: null })),
  'its parents may not be read': each((process) => ({ ...process, parentPid: null })),
  'nothing of it has an identity': each((process) => ({ ...process, startTime: null })),
};

/** What keeps all but the one that is proven by another fact than its parent's end. */
const savesOrphans: typeof saves = {
  'pid 1 of its container is its torchrun': started(['python3', '/usr/bin/torchrun', 'train.py']),
  'pid 1 of its container is vLLM': started(['python3', '/usr/bin/vllm', 'serve', 'model']),
  'pid 1 of its container is its script': started(['python3', 'train.py']),
};

function each(
  change: (process: Situation['table'][number]) => Situation['table'][number],
): (situation: Situation) => Situation {
  return (situation) => ({ ...situation, table: situation.table.map(change) });
}

function started(command: readonly string[]): (situation: Situation) => Situation {
  return (situation) => ({
    ...situation,
    hidden: ['otherNamespaces'],
    hasMachineInit: false,
    init: { ...machineInit, uid: 1000, user: 'ada', command, name: 'python3', cgroup: '/' },
  });
}

describe('leftovers', () => {
  it.each(Object.entries(leftovers))('%s: stale, and all of it that lives would end', (_what, situation) => {
    const living = situation.table.filter(({ state }) => state !== 'Z').map(({ pid }) => pid);
    expect([look(situation).map(({ verdict }) => verdict), endedIn(situation)]).toEqual([['stale'], living]);
  });
});

const pairs = Object.entries(leftovers).flatMap(([what, situation]) =>
  Object.entries(saves).map(([but, change]) => [what, but, change(situation)] as const),
);
const orphanPairs = Object.entries(leftovers)
  .filter(([what]) => !what.includes('dead leader'))
  .flatMap(([what, situation]) =>
    Object.entries(savesOrphans).map(([but, change]) => [what, but, change(situation)] as const),
  );

describe('what looks like a leftover and has a reason to stay', () => {
  it.each(pairs)('%s, but %s', (what, but, situation) => {
    // A leader that has ended is read as such; whose child it was needs no look at pid 1.
    if (what.includes('dead leader') && but.startsWith('pid 1')) return;
    expect(endedIn(situation)).toEqual([]);
  });
  it.each(orphanPairs)('%s, but %s', (_what, _but, situation) => expect(endedIn(situation)).toEqual([]));
});

describe('a job of several owners', () => {
  const foreign = each((process) => (process.pid === 21 ? { ...process, uid: 1001, user: 'bob' } : process));
  it.each(Object.entries(leftovers))('%s: somebody else’s process is never ended', (_what, situation) =>
    expect(endedIn(foreign(situation), true)).not.toContain(21),
  );
  it('is not stale, whatever proves it', () => {
    const situation = leftovers['a child below a dead leader'];
    const table = [
      ...(situation?.table ?? []),
      facts({ pid: 22, parentPid: 21, uid: 1001, user: 'bob', ...still }),
    ];
    expect(look({ table, holds: [hold(20, 0)] })).toMatchObject([
      { verdict: 'healthy', against: [{ sign: 'several-owners' }, { sign: 'other-user' }] },
    ]);
  });
});

interface Row extends Situation {
  readonly what: string;
  readonly verdicts: readonly JobVerdict[];
  readonly ends?: readonly number[];
}

const torchrunUnder = (name: string, command: readonly string[]) => [
  facts({ pid: 12, name: 'bash', command: ['-bash'] }),
  facts({ pid: 13, parentPid: 12, name, command }),
  ...[0, 1].map((rank) =>
    facts({ pid: 20 + rank, parentPid: 13, command: ['python3', 'train.py'], environment: elastic(rank) }),
  ),
];
const wrapped = (wrapper: readonly string[], launcher: boolean) => [
  ...(launcher ? [facts({ pid: 13, command: ['python3', '/usr/bin/torchrun', 'train.py'] })] : []),
  ...[0, 1].flatMap((rank) => [
    facts({
      pid: 20 + rank,
      parentPid: launcher ? 13 : 1,
      name: wrapper[0] ?? '',
      command: wrapper,
      startedAt: 100,
      environment: elastic(rank),
      ...still,
    }),
    facts({
      pid: 30 + rank,
      parentPid: 20 + rank,
      session: 20 + rank,
      startedAt: 100,
      environment: elastic(rank),
      ...still,
    }),
  ]),
];
const both = [hold(20, 0), hold(21, 1)];
const busy = { 0: 98, 1: 97 };

const rows: readonly Row[] = [
  ...[
    ['tune', ['python3', '/usr/bin/tune', 'run', 'recipe']],
    ['fabric', ['python3', '/usr/bin/fabric', 'run', 'train.py']],
    ['python3', ['python3', '-m', 'debugpy', '--listen', '5678', 'train.py']],
    ['python3', ['python3', '/opt/pydevd.py', '--file', 'train.py']],
    ['launch', ['./launch', '2']],
    ['bash', ['bash', 'run.sh']],
  ].map(([name, command]): Row => ({
    what: `ranks whose parent is ${String(command)}`,
    table: torchrunUnder(
      String(name),
      [command].flat().filter((word) => word !== undefined),
    ),
    holds: both,
    busyCards: busy,
    verdicts: ['healthy'],
  })),
  ...[
    ['timeout', '3600', 'python3', 'train.py'],
    ['nsys', 'profile', 'python3', 'train.py'],
    ['numactl', '-N', '0', 'python3', 'train.py'],
    ['bash', 'wrapper.sh'],
  ].flatMap((wrapper): readonly Row[] => [
    {
      what: `${wrapper[0]} between torchrun and its ranks`,
      table: wrapped(wrapper, true),
      holds: [hold(30, 0), hold(31, 1)],
      verdicts: ['healthy'],
    },
    {
      what: `${wrapper[0]} between ranks and a torchrun that is gone`,
      table: wrapped(wrapper, false),
      holds: [hold(30, 0), hold(31, 1)],
      verdicts: ['stale'],
      ends: wrapper[0] === 'bash' ? [30, 31] : [20, 21, 30, 31],
    },
  ]),
  {
    what: 'a program that a rank started before its run ended well',
    table: [facts({ pid: 20, environment: elastic(0) })],
    holds: [hold(20, 0)],
    busyCards: busy,
    verdicts: ['healthy'],
  },
  {
    what: 'one such program of each rank, in the sessions of their ranks',
    table: [0, 1].map((rank) =>
      facts({ pid: 20 + rank, session: 10 + rank, environment: elastic(rank), ...still }),
    ),
    holds: both,
    verdicts: ['suspect'],
  },
  {
    what: 'torchrun’s orphans that compute: suspect, and said so',
    table: [0, 1].map((rank) => facts({ pid: 20 + rank, startedAt: 100, environment: elastic(rank) })),
    holds: both,
    busyCards: busy,
    verdicts: ['suspect'],
  },
  {
    what: 'orphans of deepspeed, composer, Lightning and mpirun',
    table: [0, 1].map((rank) =>
      facts({ pid: 20 + rank, session: 9, environment: rankOf(rank, 2), ...still }),
    ),
    holds: both,
    verdicts: ['suspect'],
  },
  {
    what: 'ranks that a shell script started and left, and that compute',
    table: [0, 1].map((rank) => facts({ pid: 20 + rank, session: 9, environment: rankOf(rank, 2) })),
    holds: both,
    busyCards: busy,
    verdicts: ['healthy'],
  },
  {
    what: 'a rank of a pod that is pid 1 of its container',
    init: null,
    hidden: ['otherNamespaces'],
    table: [facts({ pid: 1, parentPid: 0, environment: rankOf(1, 2, { localWorldSize: null }), ...still })],
    holds: [hold(1, 0)],
    verdicts: ['healthy'],
  },
  {
    what: 'a driver that works, beside a child of it that is defunct and listed',
    table: [
      facts({ pid: 20, parentPid: 12 }),
      facts({ pid: 21, parentPid: 20, state: 'Z', command: null }),
      facts({ pid: 22, parentPid: 20 }),
      facts({ pid: 12, command: ['bash'] }),
    ],
    holds: [hold(20, 0), hold(21, 0), hold(22, 1)],
    busyCards: busy,
    verdicts: ['healthy'],
  },
  {
    what: 'the same driver at rest',
    table: [
      facts({ pid: 20, parentPid: 12, ...still }),
      facts({ pid: 21, parentPid: 20, state: 'Z', command: null }),
      facts({ pid: 12, command: ['bash'] }),
    ],
    holds: [hold(20, 0), hold(21, 0)],
    afterSeconds: 60,
    verdicts: ['healthy'],
  },
  {
    what: 'three runs of one sweep in one session and group, one of them defunct',
    table: [20, 21, 22].map((pid) =>
      facts({
        pid,
        session: 9,
        processGroup: 9,
        ...(pid === 20 ? { state: 'Z' as const, command: null } : {}),
      }),
    ),
    holds: [hold(20, 0), hold(21, 1), hold(22, 2)],
    busyCards: { 1: 98, 2: 98 },
    verdicts: ['stale', 'healthy', 'healthy'],
  },
  {
    what: 'an idle server that is listed with [N/A]',
    table: [facts({ pid: 20, openDevices: ['/dev/nvidia0', '/dev/nvidia-uvm'], ...still })],
    holds: [hold(20, 0, null)],
    afterSeconds: 90,
    verdicts: ['healthy'],
  },
  {
    what: 'one user’s copy of another’s run folder, with a defunct fork',
    table: [
      facts({ pid: 12, uid: 1001, user: 'bob', command: ['python3', '/usr/bin/torchrun', 'train.py'] }),
      ...[0, 1].map((rank) =>
        facts({ pid: 20 + rank, parentPid: 12, uid: 1001, user: 'bob', environment: elastic(rank) }),
      ),
      facts({ pid: 30, parentPid: 31, environment: elastic(0), state: 'Z', command: null }),
      facts({ pid: 31, environment: elastic(0, { localWorldSize: 64 }), ...still }),
    ],
    holds: [hold(20, 0), hold(21, 1), hold(30, 0)],
    busyCards: busy,
    verdicts: ['healthy', 'suspect'],
    ends: [],
  },
  {
    what: 'workers under tmux: adopted without a terminal',
    table: [
      facts({ pid: 7, name: 'tmux: server', command: ['tmux', 'new'] }),
      ...[0, 1].map((rank) =>
        facts({ pid: 20 + rank, parentPid: 7, startedAt: 100, environment: elastic(rank), ...still }),
      ),
    ],
    holds: both,
    verdicts: ['stale'],
    ends: [20, 21],
  },
  {
    what: 'ranks that a shell which is pid 1 of a container has: perhaps taken in',
    hidden: ['otherNamespaces'],
    hasMachineInit: false,
    init: { ...machineInit, name: 'bash', command: ['bash'] },
    table: [0, 1].map((rank) => facts({ pid: 20 + rank, environment: elastic(rank), ...still })),
    holds: both,
    verdicts: ['suspect'],
  },
  {
    what: 'ranks that a container’s tini has taken in long after its start',
    hidden: ['otherNamespaces'],
    hasMachineInit: false,
    init: { ...machineInit, name: 'tini', command: ['tini', '--', 'bash'] },
    table: [0, 1].map((rank) =>
      facts({ pid: 20 + rank, startedAt: 9, environment: elastic(rank), ...still }),
    ),
    holds: both,
    verdicts: ['stale'],
    ends: [20, 21],
  },
];

describe('situations', () => {
  it.each(rows)('$what', ({ verdicts, ends = null, ...situation }) => {
    expect(look(situation).map(({ verdict }) => verdict)).toEqual(verdicts);
    if (ends !== null) expect(endedIn(situation)).toEqual(ends);
  });
});
