/**
 * Random worlds: healthy runs and leftovers side by side, with any part out of sight. `HEADROOM_WORLDS=10000` makes more.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GpuHold } from '../../../../../shared/jobs/assembleJob';
import type { ProcessFacts } from '../../../../../shared/jobs/types';
import type { HiddenPart } from '../../../../../shared/jobs/world';
import { facts, hold, machineInit, rankOf } from '../facts';
import { endedIn, type Situation } from './worlds';

const numRuns = Number(process.env['HEADROOM_WORLDS'] ?? 500);

interface Family {
  readonly table: readonly ProcessFacts[];
  readonly holds: readonly GpuHold[];
  /** Pids that nothing may end: they work, or somebody still needs them. */
  readonly healthy: readonly number[];
}

interface Given {
  /** Its pids are first … first + 9. */
  readonly first: number;
  readonly card: number;
  readonly works: boolean;
  readonly uid: number;
  readonly port: number;
  readonly wrapper: readonly string[] | null;
}

const spawned = ['python3', '-c', 'from multiprocessing.spawn import spawn_main', '--multiprocessing-fork'];
const at = ({ works, uid }: Given, given: Partial<ProcessFacts> & { pid: number }) =>
  facts({
    uid,
    user: uid === 1000 ? 'ada' : 'bob',
    startedAt: 100,
    cpuPercent: works ? 60 : 0,
    cpuSeconds: 100,
    ...given,
  });
const rank = ({ port, first }: Given, number: number, isElastic: boolean) =>
  rankOf(number, 2, {
    masterPort: port,
    ...(isElastic ? { torchelasticRunId: 'none', torchelasticRunFolder: `/tmp/${first}` } : {}),
  });

/** Two ranks below `parent`, each below a wrapper where there is one. */
function ranksUnder(
  given: Given,
  parent: number,
  isElastic: boolean,
  more: Partial<ProcessFacts> = {},
): Family {
  const { first, card, wrapper } = given;
  const table = [0, 1].flatMap((number) => {
    const environment = rank(given, number, isElastic);
    const top = wrapper === null ? parent : first + 4 + number;
    return [
      ...(wrapper === null
        ? []
        : [at(given, { pid: top, parentPid: parent, command: wrapper, name: 'timeout', environment })]),
      at(given, {
        pid: first + 2 + number,
        parentPid: top,
        environment,
        session: wrapper === null ? first + 2 + number : top,
        ...more,
      }),
    ];
  });
  const holds = [0, 1].map((number) => hold(first + 2 + number, card + number));
  return { table, holds, healthy: table.map(({ pid }) => pid) };
}

function withParent(family: Family, parent: ProcessFacts): Family {
  return { ...family, table: [parent, ...family.table], healthy: [parent.pid, ...family.healthy] };
}

const leftBehind = (family: Family): Family => ({ ...family, healthy: [] });
const oneProcess = (given: Given, more: Partial<ProcessFacts>): Family => ({
  table: [at(given, { pid: given.first, ...more })],
  holds: [hold(given.first, given.card)],
  healthy: [given.first],
});

const kinds: Readonly<Record<string, (given: Given) => Family>> = {
  torchrun: (given) =>
    withParent(
      ranksUnder(given, given.first, true),
      at(given, { pid: given.first, command: ['python3', '/usr/bin/torchrun', 'train.py'] }),
    ),
  otherLauncher: (given) =>
    withParent(
      ranksUnder(given, given.first, true),
      at(given, { pid: given.first, command: ['python3', '/usr/bin/tune', 'run'] }),
    ),
  shellLauncher: (given) =>
    withParent(
      ranksUnder(given, given.first, false),
      at(given, { pid: given.first, command: ['bash', 'run.sh'] }),
    ),
  nohup: (given) => oneProcess(given, { command: ['python3', 'train.py'] }),
  server: (given) => oneProcess(given, { command: ['vllm', 'serve'], environment: rank(given, 0, false) }),
  inherited: (given) => oneProcess(given, { environment: rank(given, 0, true) }),
  unlistedMemory: (given) => ({
    ...oneProcess(given, {}),
    holds: [hold(given.first, given.card, null)],
  }),
  spawning: (given) => ({
    table: [
      at(given, { pid: given.first }),
      ...[2, 3].map((place) =>
        at(given, { pid: given.first + place, parentPid: given.first, command: spawned }),
      ),
    ],
    holds: [2, 3].map((place) => hold(given.first + place, given.card)),
    healthy: [0, 2, 3].map((place) => given.first + place),
  }),
  driverWithDefunctChild: (given) => ({
    table: [
      at(given, { pid: given.first }),
      at(given, { pid: given.first + 1, parentPid: given.first, state: 'Z', command: null }),
    ],
    holds: [hold(given.first, given.card), hold(given.first + 1, given.card)],
    healthy: [given.first],
  }),
  container: (given) => {
    const cgroup = `/system.slice/docker-${'ab'.repeat(32)}.scope`;
    const shim = at(given, {
      pid: given.first,
      uid: 0,
      user: 'root',
      name: 'containerd-shim',
      command: ['/usr/bin/containerd-shim-runc-v2', '-id', 'ab'.repeat(32)],
    });
    return {
      table: [shim, at(given, { pid: given.first + 1, parentPid: given.first, cgroup })],
      holds: [hold(given.first + 1, given.card)],
      healthy: [given.first, given.first + 1],
    };
  },
  // What is left over.
  leftRanks: (given) => leftBehind(ranksUnder(given, 1, true)),
  leftOthers: (given) => leftBehind(ranksUnder(given, 1, false, { session: given.first })),
  leftSpawned: (given) =>
    leftBehind({
      table: [2, 3].map((place) =>
        at(given, {
          pid: given.first + place,
          session: given.first,
          processGroup: given.first,
          command: spawned,
        }),
      ),
      holds: [2, 3].map((place) => hold(given.first + place, given.card)),
      healthy: [],
    }),
};

const family = fc.record({
  kind: fc.constantFrom(...Object.keys(kinds)),
  works: fc.boolean(),
  uid: fc.constantFrom(1000, 1000, 1001),
  port: fc.constantFrom(29_500, 29_501),
  card: fc.integer({ min: 0, max: 2 }),
  wrapper: fc.constantFrom(null, null, ['timeout', '60', 'python3', 'train.py'], ['./wrapper']),
});

/** A world of up to five families, whose busy cards are those of what works. */
const worlds = fc.array(family, { minLength: 1, maxLength: 5 }).map((chosen) => {
  const families = chosen.map(({ kind, ...given }, place) => {
    const build = kinds[kind];
    if (build === undefined) throw new Error(kind);
    return { ...build({ ...given, first: 100 + place * 10 }), works: given.works };
  });
  const busy = families
    .filter(({ works }) => works)
    .flatMap(({ holds }) => holds.map(({ gpuIndex }) => [gpuIndex, 97] as const));
  const situation: Situation = {
    table: families.flatMap(({ table }) => table),
    holds: families.flatMap(({ holds }) => holds),
    busyCards: Object.fromEntries(busy),
    livingContainers: ['ab'.repeat(32)],
    init: machineInit,
  };
  return { situation, healthy: new Set(families.flatMap(({ healthy }) => healthy)) };
});

const fields = [
  'startTime',
  'uid',
  'parentPid',
  'processGroup',
  'session',
  'terminal',
  'command',
  'startedAt',
  'cpuPercent',
  'cpuSeconds',
  'cgroup',
  'openDevices',
  'writesCheckpoint',
  'environment',
] as const satisfies readonly (keyof ProcessFacts)[];

/** What is hidden of a world: processes by place, fields of processes by place, the list of containers, and how busy cards are. */
const veils = fc.record({
  processes: fc.array(fc.nat(60), { maxLength: 6 }),
  fields: fc.array(fc.tuple(fc.nat(60), fc.constantFrom(...fields)), { maxLength: 12 }),
  containers: fc.boolean(),
  init: fc.constantFrom('seen', 'unreadable', 'gone'),
  use: fc.boolean(),
  parts: fc.subarray<HiddenPart>(['otherUsers', 'otherNamespaces', 'someProcesses', 'cardProcesses']),
});

type Veil = typeof veils extends fc.Arbitrary<infer Value> ? Value : never;

function hide({ table, holds, ...situation }: Situation, veil: Veil): Situation {
  const gone = new Set(veil.processes.map((place) => table[place % table.length]?.pid));
  const shown = table
    .filter(({ pid }) => !gone.has(pid))
    .map((process, place) => {
      const hidden = veil.fields.filter(([at]) => at % table.length === place).map(([, field]) => field);
      // The driver lists a process by its pid, whatever else is known of it.
      return hidden.reduce<ProcessFacts>((seen, field) => ({ ...seen, [field]: null }), process);
    });
  return {
    ...situation,
    table: shown,
    holds: holds.filter(({ pid }) => !gone.has(pid)),
    hidden: veil.parts,
    livingContainers: veil.containers ? null : (situation.livingContainers ?? null),
    init:
      veil.init === 'gone'
        ? null
        : veil.init === 'unreadable'
          ? { ...machineInit, command: null }
          : machineInit,
    busyCards: veil.use
      ? Object.fromEntries(Object.keys(situation.busyCards ?? {}).map((index) => [index, null]))
      : (situation.busyCards ?? {}),
  };
}

describe(`${numRuns} random worlds`, () => {
  it('end nothing healthy', () => {
    fc.assert(
      fc.property(worlds, ({ situation, healthy }) => {
        expect(endedIn(situation).filter((pid) => healthy.has(pid))).toEqual([]);
      }),
      { numRuns },
    );
  });

  it('end nothing more with any part of them out of sight', () => {
    fc.assert(
      fc.property(worlds, veils, ({ situation, healthy }, veil) => {
        const seen = new Set(endedIn(situation));
        const veiled = endedIn(hide(situation, veil));
        expect(veiled.filter((pid) => !seen.has(pid) || healthy.has(pid))).toEqual([]);
      }),
      { numRuns },
    );
  });

  it('find leftovers, so that the rules above are about something', () => {
    const found = fc
      .sample(worlds, { numRuns: 200, seed: 7 })
      .filter(({ situation }) => endedIn(situation).length > 0);
    expect(found.length).toBeGreaterThan(20);
  });
});
