import { normalizeBusId } from './smi/card';
import type { CardReading } from './types';

/**
 * CUDA's ordinal of each card under its default order, in the order given. CUDA puts the fastest card first and nvidia-smi
 * counts by bus; among equal cards both count by bus. Where models differ, or a card is split by MIG, CUDA's order
 * cannot be told from outside and is null
 * (https://docs.nvidia.com/cuda/cuda-c-programming-guide/#cuda-environment-variables, CUDA_DEVICE_ORDER).
 */
export function cudaOrdinals(cards: readonly CardReading[]): readonly (number | null)[] {
  const names = new Set(cards.map(({ name }) => name));
  const buses = cards.map(({ pciBusId }) => normalizeBusId(pciBusId));
  const [onlyName] = names;
  if (names.size !== 1 || onlyName === null || cards.some(({ mig }) => mig.length > 0))
    return cards.map(() => null);
  if (buses.includes(null)) return cards.map(() => null);
  const sorted = [...buses].sort();
  return buses.map((bus) => sorted.indexOf(bus));
}
