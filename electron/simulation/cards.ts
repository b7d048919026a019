/** The cards that scenes are made of, with the figures that their own nvidia-smi shows. */
import type { SceneCard, SceneMigSlice } from './scene';

export interface CardModel {
  readonly name: string;
  readonly brand: string;
  readonly architecture: string;
  readonly memoryTotalMiB: number;
  /** The driver's own part, which newer drivers leave out of `memory.used`. */
  readonly memoryReservedMiB: number;
  readonly powerLimitWatts: number;
  readonly idleWatts: number;
  readonly idleC: number;
  readonly loadC: number;
  readonly hasFan: boolean;
  readonly hasEcc: boolean;
  readonly maxSmClockMHz: number;
  readonly idleSmClockMHz: number;
  readonly memoryClockMHz: number;
  readonly pcieGeneration: number;
  readonly computeCapability: string;
}

export const rtx3090: CardModel = {
  name: 'NVIDIA GeForce RTX 3090',
  brand: 'GeForce',
  architecture: 'Ampere',
  memoryTotalMiB: 24_576,
  memoryReservedMiB: 313,
  powerLimitWatts: 350,
  idleWatts: 24,
  idleC: 38,
  loadC: 74,
  hasFan: true,
  hasEcc: false,
  maxSmClockMHz: 1_935,
  idleSmClockMHz: 210,
  memoryClockMHz: 9_751,
  pcieGeneration: 4,
  computeCapability: '8.6',
};

export const rtx4090: CardModel = {
  ...rtx3090,
  name: 'NVIDIA GeForce RTX 4090',
  architecture: 'Ada Lovelace',
  memoryTotalMiB: 24_564,
  memoryReservedMiB: 349,
  powerLimitWatts: 450,
  idleWatts: 21,
  idleC: 36,
  loadC: 66,
  maxSmClockMHz: 2_745,
  memoryClockMHz: 10_501,
  computeCapability: '8.9',
};

export const a100: CardModel = {
  name: 'NVIDIA A100-SXM4-80GB',
  brand: 'NVIDIA',
  architecture: 'Ampere',
  memoryTotalMiB: 81_920,
  memoryReservedMiB: 693,
  powerLimitWatts: 400,
  idleWatts: 62,
  idleC: 31,
  loadC: 61,
  hasFan: false,
  hasEcc: true,
  maxSmClockMHz: 1_410,
  idleSmClockMHz: 210,
  memoryClockMHz: 1_593,
  pcieGeneration: 4,
  computeCapability: '8.0',
};

export const h100: CardModel = {
  ...a100,
  name: 'NVIDIA H100 80GB HBM3',
  architecture: 'Hopper',
  memoryTotalMiB: 81_559,
  memoryReservedMiB: 551,
  powerLimitWatts: 700,
  idleWatts: 72,
  idleC: 28,
  loadC: 58,
  maxSmClockMHz: 1_980,
  idleSmClockMHz: 345,
  memoryClockMHz: 2_619,
  pcieGeneration: 5,
  computeCapability: '9.0',
};

const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, '0');

/**
 * `count` equal cards on buses of their own, in the order of nvidia-smi. Card `displayOn` drives a screen; `mig`
 * gives the slices of a card by its index.
 */
export function cardsOf(
  model: CardModel,
  count: number,
  options: { displayOn?: number; mig?: Readonly<Record<number, readonly SceneMigSlice[]>> } = {},
): readonly SceneCard[] {
  return Array.from({ length: count }, (_none, index) => ({
    model,
    uuid: `GPU-5ce7e000-0000-4000-8000-${hex(index + 1, 12).toLowerCase()}`,
    serial: model.hasEcc ? `165${String(index).padStart(10, '0')}` : null,
    pciBusId: `00000000:${hex(0x01 + index * 0x10, 2)}:00.0`,
    minorNumber: index,
    displayActive: options.displayOn === index,
    mig: options.mig?.[index] ?? [],
  }));
}
