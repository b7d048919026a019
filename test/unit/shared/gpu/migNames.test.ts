import { expect, it } from 'vitest';
import { migKey, sliceOf, withMigNames } from '../../../../shared/gpu/migNames';
import { emptyCard } from '../../../../shared/gpu/smi/card';
import { readList } from '../../../../shared/gpu/smi/list';
import type { GpuProcess, MigSlice } from '../../../../shared/gpu/types';

const slice = (index: number, gpuInstance: number, computeInstance: number | null = 0): MigSlice => ({
  index,
  uuid: null,
  profile: null,
  gpuInstance,
  computeInstance,
  memoryTotalBytes: null,
  memoryUsedBytes: null,
});
const card = {
  ...emptyCard(),
  index: 0,
  uuid: 'GPU-0a',
  mig: [slice(0, 1), slice(1, 5)],
};
const { cards: listed } = readList(
  'GPU 0: NVIDIA A100 (UUID: GPU-0a)\n  MIG 4g.40gb     Device  0: (UUID: MIG-11)\n  MIG 2g.20gb     Device  1: (UUID: MIG-22)\nGPU 1: NVIDIA A100 (UUID: GPU-0b)\n',
);

it('gives the MIG devices of a report the names of the list', () => {
  expect(withMigNames([card], listed)[0]?.mig.map(({ profile, uuid }) => [profile, uuid])).toEqual([
    ['4g.40gb', 'MIG-11'],
    ['2g.20gb', 'MIG-22'],
  ]);
});

it('names nothing of a card that the list counts differently or does not know', () => {
  const three = { ...card, mig: [...card.mig, slice(2, 13)] };
  expect(withMigNames([three], listed)).toEqual([three]);
  expect(withMigNames([card], [])).toEqual([card]);
});

it('tells when a card has other MIG devices', () => {
  expect(migKey([{ ...card, mig: [] }])).toBe('');
  expect(migKey([card])).toBe(migKey([{ ...card, memoryUsedBytes: 5 }]));
  expect(migKey([card])).not.toBe(migKey([{ ...card, mig: [slice(0, 1), slice(1, 9)] }]));
});

it.each([
  [5, 0, 1],
  [5, null, 1], // The only device of its GPU instance.
  [7, 0, null],
  [null, null, null],
])(
  'a process in GPU instance %s, compute instance %s runs in device %s',
  (gpuInstance, computeInstance, index) => {
    const process: GpuProcess = {
      gpuIndex: 0,
      gpuUuid: null,
      pid: 1,
      type: 'C',
      name: null,
      usedBytes: null,
      gpuInstance,
      computeInstance,
    };
    expect(sliceOf(process, [card])?.index ?? null).toBe(index);
  },
);
