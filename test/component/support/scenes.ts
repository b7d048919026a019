import type { Snapshot } from '../../../shared/alerts/snapshot';
import { cardProblem, machineProblem } from '../../../shared/gpu/problems';
import { GiB, MiB } from '../../../shared/units';
import { unknownHost } from '../../unit/shared/contract/typedSnapshot';
import { card, facts, host, job, member, noon, snapshot } from './snapshots';

/** The workstations that component tests and the preview page look at. */

/** Two 24 GiB cards; everything is on card 0. */
export function twoCards(): Snapshot {
  return snapshot({
    source: { kind: 'simulated', sceneId: 'two-3090-oom' },
    cards: [
      card(0, {
        memoryUsedBytes: 23.1 * GiB,
        memoryReservedBytes: 410 * MiB,
        utilizationPercent: 98,
        temperatureC: 71,
        powerWatts: 338,
        fanPercent: 62,
        smClockMHz: 1695,
        throttleReasons: ['sw_power_cap'],
      }),
      card(1, { memoryUsedBytes: 12 * MiB, memoryReservedBytes: 410 * MiB }),
    ],
    jobs: [
      job(
        '1187-900',
        [member(1187, [[0, 512 * MiB]], { process: { name: 'Xorg', command: ['Xorg', ':0'] } })],
        {
          title: 'Xorg',
          kind: 'desktop',
          user: 'root',
          startedAt: noon - 90_000,
        },
      ),
      job('41822-7', [
        member(41822, [[0, 22.6 * GiB]], {
          process: {
            residentBytes: 8.4 * GiB,
            command: ['python', 'train.py', '--model', 'meta-llama/Llama-2-13b-hf'],
          },
        }),
      ]),
    ],
  });
}

/** Eight H100 with one torchrun job, its workers, a notebook, and another user's run: 60 processes. */
export function eightCards(): Snapshot {
  const indices = Array.from({ length: 8 }, (_, index) => index);
  return snapshot({
    cards: indices.map((index) =>
      card(index, {
        name: 'NVIDIA H100 80GB HBM3',
        memoryTotalBytes: 81_559 * MiB,
        memoryUsedBytes: (60 + index * 0.4 + (index === 7 ? 6 : 0)) * GiB,
        memoryReservedBytes: 551 * MiB,
        utilizationPercent: 97 - index,
        temperatureC: 60 + index,
        powerWatts: 640 + index * 3,
        powerLimitWatts: 700,
        fanPercent: null,
        smClockMHz: 1980,
        throttleReasons: index === 5 ? ['hw_thermal_slowdown'] : [],
      }),
    ),
    host: {
      ...host,
      hostname: 'dgx-07',
      memoryTotalBytes: 2015 * GiB,
      memoryUsedBytes: 310.4 * GiB,
      cpuCount: 224,
    },
    jobs: [
      job(
        '5100-1',
        [
          member(5100, [], {
            role: 'launcher',
            process: {
              residentBytes: 512 * MiB,
              cpuPercent: 0,
              command: ['torchrun', '--nproc-per-node=8', 'pretrain.py'],
            },
          }),
          ...indices.map((index) =>
            member(5101 + index, [[index, (60 + index * 0.4 - 0.5) * GiB]], {
              role: 'rank',
              rank: index,
              process: { command: ['python', '-u', 'pretrain.py', '--config', 'configs/llama-3-8b.yaml'] },
            }),
          ),
          ...Array.from({ length: 48 }, (_, index) =>
            member(5200 + index, [], {
              role: 'worker',
              process: { residentBytes: 900 * MiB, cpuPercent: 12 },
            }),
          ),
        ],
        { title: 'pretrain.py', kind: 'torchrun', worldSize: 8, startedAt: noon - 7_300 },
      ),
      job('6000-3', [member(6000, [[7, 4.2 * GiB]], { role: 'notebook', process: { cpuPercent: 0 } })], {
        title: 'explore.ipynb',
        kind: 'notebook',
        verdict: 'idle',
        idleSince: noon - 720,
        startedAt: noon - 9_000,
      }),
      job(
        '7000-4',
        [
          member(7000, [[7, 1.8 * GiB]], {
            process: { user: 'grace', command: null, residentBytes: null, cpuPercent: null, uid: 1001 },
          }),
        ],
        { title: 'python', user: 'grace', ownedByMe: false, startedAt: noon - 86_400 },
      ),
    ],
  });
}

/** Sixteen cards, two jobs of eight ranks each, one of which lost its launcher. */
export function sixteenCards(): Snapshot {
  const indices = Array.from({ length: 16 }, (_, index) => index);
  const ranks = (first: number, pid: number, gib: number) =>
    indices
      .slice(first, first + 8)
      .map((index) => member(pid + index, [[index, gib * GiB]], { role: 'rank', rank: index - first }));
  return snapshot({
    cards: indices.map((index) =>
      card(index, {
        name: 'NVIDIA A100-SXM4-40GB',
        memoryTotalBytes: 40 * GiB,
        memoryUsedBytes: index < 8 ? 31.5 * GiB : 17.2 * GiB,
        utilizationPercent: index < 8 ? 88 : 0,
        fanPercent: null,
        powerLimitWatts: 400,
      }),
    ),
    jobs: [
      job('300-1', ranks(0, 300, 31), { title: 'finetune.py', kind: 'torchrun', worldSize: 8 }),
      job('900-2', ranks(8, 900, 17), {
        title: 'old_run.py',
        kind: 'torchrun',
        worldSize: 9,
        verdict: 'stale',
      }),
    ],
  });
}

/** A card in MIG mode: utilisation is not offered, slices have their own memory. */
export function migCard(): Snapshot {
  const slice = (index: number, gpuInstance: number, profile: string, total: number, used: number) => ({
    index,
    uuid: `MIG-${index}`,
    profile,
    gpuInstance,
    computeInstance: 0,
    memoryTotalBytes: total * GiB,
    memoryUsedBytes: used * GiB,
  });
  return snapshot({
    cards: [
      card(0, {
        name: 'NVIDIA H200',
        memoryTotalBytes: 140 * GiB,
        memoryUsedBytes: 62.3 * GiB,
        utilizationPercent: null,
        fanPercent: null,
        mig: [
          slice(0, 1, '3g.71gb', 69.8, 61),
          slice(1, 5, '1g.18gb', 16.4, 1.2),
          slice(2, 6, '1g.18gb', 16.4, 0),
        ],
      }),
      card(1, { name: 'NVIDIA H200', memoryTotalBytes: 140 * GiB, fanPercent: null }),
    ],
    processes: [
      {
        gpuIndex: 0,
        gpuUuid: null,
        pid: 800,
        type: 'C',
        name: 'python',
        usedBytes: 60.5 * GiB,
        gpuInstance: 1,
        computeInstance: 0,
      },
      {
        gpuIndex: 0,
        gpuUuid: null,
        pid: 801,
        type: 'C',
        name: 'python',
        usedBytes: 1.1 * GiB,
        gpuInstance: 5,
        computeInstance: 0,
      },
    ],
    jobs: [
      job('800-1', [member(800, [[0, 60.5 * GiB]])], { title: 'serve.py' }),
      job('801-2', [member(801, [[0, 1.1 * GiB]])], { title: 'probe.py' }),
    ],
  });
}

/** A card that offers next to nothing, and a process whose facts may not be read. */
export function unknownValues(): Snapshot {
  return snapshot({
    driverVersion: null,
    cudaVersion: null,
    cards: [
      card(0, {
        name: null,
        cudaOrdinal: null,
        memoryTotalBytes: null,
        memoryUsedBytes: null,
        utilizationPercent: null,
        temperatureC: null,
        powerWatts: null,
        powerLimitWatts: null,
        fanPercent: null,
        smClockMHz: null,
        memoryClockMHz: null,
        computeMode: null,
      }),
    ],
    jobs: [
      job(
        '77-?',
        [
          {
            role: 'process',
            rank: null,
            cards: [{ gpuIndex: 0, usedBytes: null }],
            listed: true,
            origin: 'unknown',
            process: facts(77, {
              startTime: null,
              user: null,
              uid: null,
              command: null,
              startedAt: null,
              residentBytes: null,
              cpuPercent: null,
              state: 'unknown',
              unreadable: [{ facts: 'process', reason: 'otherNamespace' }],
            }),
          },
        ],
        { title: 'python', user: null, startedAt: null, ownedByMe: null },
      ),
    ],
    host: unknownHost('box'),
  });
}

/** Names longer than any column. */
export function longNames(): Snapshot {
  const title = `finetune_llama_2_13b_chat_with_a_very_long_experiment_name_${'x'.repeat(80)}.py`;
  return snapshot({
    host: { ...host, hostname: `${'a-very-long-host-name-'.repeat(4)}.cluster.example.org` },
    cards: [
      card(0, {
        name: `NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition ${'y'.repeat(40)}`,
        memoryUsedBytes: 9 * GiB,
      }),
      card(1, { memoryUsedBytes: 9 * GiB }),
    ],
    jobs: Array.from({ length: 9 }, (_, index) =>
      job(
        `${100 + index}-1`,
        [
          member(100 + index, [[index % 2, 2 * GiB]], {
            process: { command: ['python', title, '--flag'.repeat(60)] },
          }),
        ],
        {
          title,
          user: 'someone.with.a.long.name@example.org',
        },
      ),
    ),
  });
}

/** The driver was updated under a running kernel module: no cards at all. */
export function driverMismatch(): Snapshot {
  return snapshot({
    driverVersion: null,
    cudaVersion: null,
    cardsReadAt: null,
    problems: [machineProblem('driver-mismatch', '580.178')],
  });
}

/** Card 1 fell off the bus; its last reading is kept. */
export function cardLost(): Snapshot {
  const two = twoCards();
  return {
    ...two,
    cards: two.cards.map((one) => (one.index === 1 ? { ...one, lost: true } : one)),
    problems: [cardProblem('card-lost', { index: 1, label: '1' })],
  };
}

/** nvidia-smi no longer answers: the last readings stand, and their age is told. */
export function smiHangs(): Snapshot {
  return {
    ...twoCards(),
    cardsReadAt: noon - 42,
    problems: [machineProblem('smi-silent', 42)],
  };
}

export const scenes = {
  twoCards,
  eightCards,
  sixteenCards,
  migCard,
  unknownValues,
  longNames,
  driverMismatch,
  cardLost,
  smiHangs,
  empty: () => snapshot({ cards: [card(0), card(1)] }),
  noCards: () => snapshot(),
} as const;
