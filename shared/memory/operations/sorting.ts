/**
 * Temporary storage of CUB's sorts and scans of int64 values.
 * https://github.com/NVIDIA/cccl/tree/v3.0.2/cub/cub/device/dispatch
 */
import { INT64 } from '../tape/tensor';

/** Up to this many keys `torch.sort` works within one block. */
export const smallSort = 4096;
/** Bits of a key that one pass looks at, and the counters it keeps: 256 of eight bytes a pass, 256 of four a tile. */
const radixBits = 8;
const radixTile = 4608;
/** As many pairs of eight bytes each one block sorts alone: 256 threads with 9 each. It needs no memory, and asks for a byte. */
const singleTile = 2304;
const passBytes = 2048;
const tileBytes = 1024;
const radixTailBytes = 511;
const alignment = 256;

/** A radix sort of keys, `bits` of them used, with values: second buffers and counters. */
export function radixSortBytes(count: number, bits: number): number {
  if (count <= singleTile) return 1;
  const passes = Math.ceil(bits / radixBits);
  const tiles = Math.ceil(count / radixTile);
  // Only further passes go back and forth between two buffers.
  const buffers = passes > 1 ? 2 * aligned(INT64 * count) : 0;
  return buffers + passes * passBytes + tiles * tileBytes + radixTailBytes;
}

const aligned = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

/** Elements of a scan's tile, and of one of `unique_by_key`. */
const scanTile = 896;
const uniqueTile = 4608;
/** Every tile, and a warp of empty ones in front, has a state of its status and value. */
const oneTileStateBytes = 16;
const statePadding = 32;

/** An exclusive sum over `count` values. */
export const exclusiveSumBytes = (count: number): number => tileStateBytes(count, scanTile);

/** The first of each run of equal keys among `count`. */
export const uniqueByKeyBytes = (count: number): number => tileStateBytes(count, uniqueTile);

function tileStateBytes(count: number, tile: number): number {
  const states = (Math.ceil(count / tile) + statePadding) * oneTileStateBytes;
  return aligned(states) + 2 * alignment - 1;
}
