import { cardProblem } from '../../../../shared/gpu/problems';
import { describe, expect, it } from 'vitest';
import { assembleSnapshot, type Readings } from '../../../../shared/snapshot/assembleSnapshot';
import { cudaOrdinals } from '../../../../shared/gpu/cudaOrdinal';
import { mergeProcesses } from '../../../../shared/gpu/mergeProcesses';
import { emptyCard, emptyProcess } from '../../../../shared/gpu/smi/card';
import type { CardReading, GpuProcess } from '../../../../shared/gpu/types';
import { facts } from '../jobs/facts';
import { snapshotOf } from '../contract/typedSnapshot';
import { wholeWorld } from '../../../../shared/jobs/world';

const GiB = 1024 ** 3;
const card = (index: number, more: Partial<CardReading> = {}): CardReading => ({
  ...emptyCard(),
  index,
  uuid: `GPU-${index}`,
  name: 'NVIDIA Test',
  pciBusId: `00000000:0${index + 1}:00.0`,
  ...more,
});
const app = (gpuUuid: string, pid: number, usedBytes: number | null = GiB): GpuProcess => ({
  ...emptyProcess(),
  gpuUuid,
  pid,
  name: 'python3',
  usedBytes,
});
const detail = (gpuUuid: string, pid: number, more: Partial<GpuProcess> = {}): GpuProcess => ({
  ...app(gpuUuid, pid, 2 * GiB),
  type: 'C',
  ...more,
});

const readings = (given: Partial<Readings>): Readings => ({
  time: 100,
  source: { kind: 'machine', sceneId: null },
  cardsReadAt: 99.9,
  intervalSeconds: 1,
  driverVersion: '580.1',
  cudaVersion: '13.0',
  cards: [card(0), card(1)],
  lostGpuIndices: new Set(),
  apps: [],
  isStale: false,
  detailCards: [],
  detailProcesses: [],
  facts: [],
  host: snapshotOf({}).host,
  gpuIndexByMinor: new Map(),
  previousJobs: [],
  ownUid: 1000,
  world: wholeWorld,
  problems: [],
  ...given,
});

describe('the processes of the two lists', () => {
  const merge = (
    apps: readonly GpuProcess[] | null,
    details: readonly GpuProcess[],
    alive: readonly number[] = [],
  ) => mergeProcesses({ apps, details, cards: [card(0), card(1)], isAlive: (pid) => alive.includes(pid) });

  it('memory comes from the list of every tick, type and instance from the detailed one', () => {
    expect(
      merge([app('GPU-1', 10)], [detail('GPU-1', 10, { type: 'C+G', gpuInstance: 3, computeInstance: 0 })]),
    ).toEqual([{ ...app('GPU-1', 10), gpuIndex: 1, type: 'C+G', gpuInstance: 3, computeInstance: 0 }]);
  });

  it('a new process is a compute process until the report tells more', () => {
    expect(merge([app('GPU-0', 10)], [])).toMatchObject([{ gpuIndex: 0, pid: 10, type: 'C' }]);
  });

  it('two instances of one process on one card take the instances in order', () => {
    const merged = merge(
      [app('GPU-0', 10, 5), app('GPU-0', 10, 6)],
      [detail('GPU-0', 10, { gpuInstance: 1 }), detail('GPU-0', 10, { gpuInstance: 2 })],
    );
    expect(merged.map(({ usedBytes, gpuInstance }) => [usedBytes, gpuInstance])).toEqual([
      [5, 1],
      [6, 2],
    ]);
  });

  it('a desktop program stays while it lives; a compute process that left the list of every tick does not', () => {
    const details = [
      detail('GPU-0', 20, { type: 'G' }),
      detail('GPU-0', 21, { type: 'G' }),
      detail('GPU-0', 22),
    ];
    expect(merge([], details, [20, 22]).map(({ pid }) => pid)).toEqual([20]);
  });

  it('without the list of every tick the report stands in, for what still lives', () => {
    expect(merge(null, [detail('GPU-0', 20), detail('GPU-0', 21)], [21]).map(({ pid }) => pid)).toEqual([21]);
  });

  it('a card is found by the UUID of one of its MIG devices', () => {
    const mig = [
      {
        index: 0,
        uuid: 'MIG-7',
        profile: null,
        gpuInstance: 7,
        computeInstance: 0,
        memoryTotalBytes: null,
        memoryUsedBytes: null,
      },
    ];
    expect(
      mergeProcesses({
        apps: [app('MIG-7', 10)],
        details: [],
        cards: [card(3, { mig })],
        isAlive: () => true,
      }),
    ).toMatchObject([{ gpuIndex: 3 }]);
  });
});

describe('CUDA’s ordinals', () => {
  it('follow the bus among equal cards, whatever the order given', () => {
    expect(
      cudaOrdinals([card(0, { pciBusId: '00000000:81:00.0' }), card(1, { pciBusId: '00000000:01:00.0' })]),
    ).toEqual([1, 0]);
  });
  it('are unknown among different cards, with MIG, without a bus or a name', () => {
    expect(cudaOrdinals([card(0), card(1, { name: 'Other' })])).toEqual([null, null]);
    expect(cudaOrdinals([card(0, { pciBusId: null })])).toEqual([null]);
    expect(cudaOrdinals([card(0, { name: null })])).toEqual([null]);
    expect(cudaOrdinals([])).toEqual([]);
  });
});

describe('a Snapshot', () => {
  it('puts cards, lost ones too, processes and jobs together', () => {
    const snapshot = assembleSnapshot(
      readings({
        apps: [app('GPU-0', 10, 3 * GiB)],
        facts: [facts({ pid: 10 })],
        lostGpuIndices: new Set([1]),
      }),
    );
    expect(snapshot.cards.map(({ index, lost, cudaOrdinal }) => [index, lost, cudaOrdinal])).toEqual([
      [0, false, 0],
      [1, true, 1],
    ]);
    expect(snapshot.processes).toMatchObject([{ gpuIndex: 0, pid: 10 }]);
    expect(snapshot.jobs).toMatchObject([{ title: 'train.py', memoryBytes: 3 * GiB }]);
    expect(snapshot).toMatchObject({ time: 100, cardsReadAt: 99.9, forecast: [], imbalance: [] });
  });

  it('gives a card that has no memory of its own that of the host, and says so', () => {
    const bare = { memoryTotalBytes: null, memoryUsedBytes: null, memoryFreeBytes: null };
    const host = {
      ...snapshotOf({}).host,
      memoryTotalBytes: 120 * GiB,
      memoryUsedBytes: 50 * GiB,
      memoryAvailableBytes: 70 * GiB,
    };
    const { cards, problems } = assembleSnapshot(
      readings({
        cards: [card(0, bare), card(1)],
        host,
        problems: [cardProblem('unified-memory', { index: 0, label: '0' })],
      }),
    );
    expect(
      cards.map(({ sharesHostMemory, memoryTotalBytes, memoryFreeBytes }) => [
        sharesHostMemory,
        memoryTotalBytes,
        memoryFreeBytes,
      ]),
    ).toEqual([
      [true, 120 * GiB, 70 * GiB],
      [false, card(1).memoryTotalBytes, card(1).memoryFreeBytes],
    ]);
    expect(problems.map(({ code }) => code)).toEqual(['unified-memory']);
    // A host that tells nothing leaves it unknown, never 0.
    const unknown = assembleSnapshot(
      readings({
        cards: [card(0, bare)],
        problems: [cardProblem('unified-memory', { index: 0, label: '0' })],
        host: { ...host, memoryTotalBytes: null },
      }),
    );
    expect(unknown.cards[0]?.memoryTotalBytes).toBeNull();
  });

  it('takes the MIG devices of a card from the detailed report', () => {
    const slice = {
      index: 0,
      uuid: null,
      profile: '1g.10gb',
      gpuInstance: 1,
      computeInstance: 0,
      memoryTotalBytes: GiB,
      memoryUsedBytes: 5,
    };
    const snapshot = assembleSnapshot(readings({ detailCards: [card(7, { uuid: 'GPU-1', mig: [slice] })] }));
    expect(snapshot.cards.map(({ mig }) => mig)).toEqual([[], [slice]]);
  });

  it('leaves out a process that is listed and of which nothing is told any more: it has just ended', () => {
    const snapshot = assembleSnapshot(
      readings({ apps: [app('GPU-0', 10), app('GPU-0', 11)], facts: [facts({ pid: 10 })] }),
    );
    expect(snapshot.processes.map(({ pid }) => pid)).toEqual([10]);
    expect(snapshot.jobs).toHaveLength(1);
  });

  it('in silence leaves out the processes that are told to be gone', () => {
    const gone = facts({ pid: 11, startTime: null, state: 'unknown' });
    const given = { apps: [app('GPU-0', 10), app('GPU-0', 11)], facts: [facts({ pid: 10 }), gone] };
    const pids = (isStale: boolean) =>
      assembleSnapshot(readings({ ...given, isStale })).processes.map(({ pid }) => pid);
    expect([pids(false), pids(true)]).toEqual([[10, 11], [10]]);
  });

  it('a zombie has given its memory back', () => {
    const snapshot = assembleSnapshot(
      readings({
        apps: null,
        detailProcesses: [detail('GPU-0', 10)],
        facts: [facts({ pid: 10, state: 'Z' })],
      }),
    );
    expect(snapshot.processes).toEqual([]);
  });
});

describe('a process that has ended, in a list that nvidia-smi does not renew', () => {
  const MiB = 1024 ** 2;
  // As recorded on an H200: the cards were asked a second after the list, which had nobody left to print.
  const ended = (memoryUsedBytes: number) =>
    assembleSnapshot(
      readings({
        cards: [card(0, { memoryUsedBytes })],
        apps: [app('GPU-0', 3102, 131_872 * MiB)],
        facts: [facts({ pid: 3102, state: 'Z' })],
      }),
    );

  it('holds nothing once its card says so', () => {
    const { processes, jobs } = ended(4 * MiB);
    expect([processes, jobs]).toEqual([[], []]);
  });

  it('is still told where the card does hold that much', () => {
    const { processes, jobs } = ended(131_883 * MiB);
    expect([processes.length, jobs.length]).toEqual([1, 1]);
  });
});
