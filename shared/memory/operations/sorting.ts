/**
 * Temporary storage of CUB's sorts and scans of int64 values.
 * https://github.com/NVIDIA/cccl/tree/v3.0.2/cub/cub/device/dispatch
 */
import { INT64 } from '../tape/tensor';

/** Up to this many keys `torch.sort` works within one block. */
export const SMALL_SORT = 4096;
/** Bits of a key that one pass looks at, and the counters it keeps: 256 of eight bytes a pass, 256 of four a tile. */
const RADIX_BITS = 8;
const RADIX_TILE = 4608;
/** As many pairs of eight bytes each one block sorts alone: 256 threads with 9 each. It needs no memory, and asks for a byte. */
const SINGLE_TILE = 2304;
const PASS_BYTES = 2048;
const TILE_BYTES = 1024;
const RADIX_TAIL_BYTES = 511;
const ALIGNMENT = 256;

/** A radix sort of keys, `bits` of them used, with values: second buffers and counters. */
export function radixSortBytes(count: number, bits: number): number {
  if (count <= SINGLE_TILE) return 1;
  const passes = Math.ceil(bits / RADIX_BITS);
  const tiles = Math.ceil(count / RADIX_TILE);
  // Only further passes go back and forth between two buffers.
  const buffers = passes > 1 ? 2 * aligned(INT64 * count) : 0;
  return buffers + passes * PASS_BYTES + tiles * TILE_BYTES + RADIX_TAIL_BYTES;
}

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Elements of a scan's tile, and of one of `unique_by_key`. */
const SCAN_TILE = 896;
const UNIQUE_TILE = 4608;
/** Every tile, and a warp of empty ones in front, has a state of its status and value. */
const TILE_STATE_BYTES = 16;
const STATE_PADDING = 32;

/** An exclusive sum over `count` values. */
export const exclusiveSumBytes = (count: number): number => tileStateBytes(count, SCAN_TILE);

/** The first of each run of equal keys among `count`. */
export const uniqueByKeyBytes = (count: number): number => tileStateBytes(count, UNIQUE_TILE);

function tileStateBytes(count: number, tile: number): number {
  const states = (Math.ceil(count / tile) + STATE_PADDING) * TILE_STATE_BYTES;
  return aligned(states) + 2 * ALIGNMENT - 1;
}
