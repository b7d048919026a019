/**
 * How many bytes PyTorch's caching allocator gives for a request. The history has only what was asked for; `memory_allocated()`
 * counts whole blocks. Follows round_size, should_split and get_allocation_size of c10/cuda/CUDACachingAllocator.cpp
 * (https://github.com/pytorch/pytorch/blob/v2.11.0/c10/cuda/CUDACachingAllocator.cpp).
 */
import { MiB } from '../units';
import type { SnapshotAllocatorSettings } from './snapshotFile';

const leastBlock = 512;
/** Requests up to this size come from the pool of small segments. */
export const smallRequestBytes = MiB;
const smallSegment = 2 * MiB;
const largeSegment = 20 * MiB;
const leastOwnSegment = 10 * MiB;
const segmentRounding = 2 * MiB;

const roundUp = (bytes: number, multiple: number): number => Math.ceil(bytes / multiple) * multiple;

/** A request rounded to the size of a block. */
export function blockBytes(requestedBytes: number, { roundupDivisions }: SnapshotAllocatorSettings): number {
  if (requestedBytes < leastBlock) return leastBlock;
  const divisions = divisionsFor(requestedBytes, roundupDivisions);
  if (divisions > 1 && requestedBytes > leastBlock * divisions)
    return roundToDivision(requestedBytes, divisions);
  return roundUp(requestedBytes, leastBlock);
}

/** The setting of the power of two at or above the size, in MiB; the first and the last stand for all beyond them. */
function divisionsFor(bytes: number, divisions: ReadonlyMap<number, number>): number {
  if (divisions.size === 0) return 0;
  const power = 2 ** Math.ceil(Math.log2(bytes / MiB));
  return divisions.get(Math.min(Math.max(power, 1), 32_768)) ?? 0;
}

function roundToDivision(bytes: number, divisions: number): number {
  const power = 2 ** Math.floor(Math.log2(bytes));
  if (power === bytes) return bytes;
  return roundUp(bytes, power / divisions);
}

/** What is asked of the driver where no free block is large enough; PyTorch's failure message prints this size. */
export function segmentBytes(requestedBytes: number): number {
  if (requestedBytes <= smallRequestBytes) return smallSegment;
  if (requestedBytes < leastOwnSegment) return largeSegment;
  return roundUp(requestedBytes, segmentRounding);
}

/**
 * The block that a rounded request gets in a free stretch of an ordinary segment: of the large pool no rest of 1 MiB or less
 * is split off, and nothing at all from `max_split_size` on.
 */
export function blockInStretch(
  bytes: number,
  stretchBytes: number,
  { maxSplitBytes }: SnapshotAllocatorSettings,
): number {
  if (bytes <= smallRequestBytes || stretchBytes < bytes) return bytes;
  const isWhole = stretchBytes - bytes <= smallRequestBytes || (maxSplitBytes > 0 && bytes >= maxSplitBytes);
  return isWhole ? stretchBytes : bytes;
}
