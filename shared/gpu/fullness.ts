import type { CardReading } from './types';

/** Used share of a card, 0 to 1; null where a figure is not known, or the total is 0, which drivers print of a memory that is not theirs. */
export function fullness({
  memoryUsedBytes,
  memoryTotalBytes,
}: Pick<CardReading, 'memoryUsedBytes' | 'memoryTotalBytes'>): number | null {
  return memoryUsedBytes === null || memoryTotalBytes === null || memoryTotalBytes === 0
    ? null
    : memoryUsedBytes / memoryTotalBytes;
}
