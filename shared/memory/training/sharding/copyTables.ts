/** Tables of addresses and sizes that FSDP's copy kernels read on the card. Only few KiB, but the small pool counts them. */
import type { CardTraits } from '../../tape/tape';
import { INT64 } from '../../tape/tensor';

/** Threads of a block, each of which copies 16 bytes at once. */
const blockThreads = 128;
const tileBytes = blockThreads * 16;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/**
 * `split_with_sizes_copy`: from the gathered buffer of `world` chunks into each parameter. `chunkBytes`: bytes of each
 * parameter's shard. The grid is kept to two waves of the card, so a block may take several tiles.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/cuda/TensorShape.cu
 */
export function copyOutTableBytes(
  chunkBytes: readonly number[],
  world: number,
  { multiprocessors, threadsPerMultiprocessor }: CardTraits,
): number {
  const tiles = sum(chunkBytes.map((bytes) => Math.ceil(bytes / tileBytes)));
  const mostBlocks = Math.floor((multiprocessors * threadsPerMultiprocessor) / blockThreads) * 2;
  const rounds = Math.ceil((tiles * world) / mostBlocks);
  const chunksPerBlock = Math.min(Math.ceil(Math.sqrt(rounds)), world);
  const tilesPerBlock = Math.ceil(rounds / chunksPerBlock);
  const blocks = sum(chunkBytes.map((bytes) => Math.ceil(bytes / (tileBytes * tilesPerBlock))));
  // Two addresses and a size for each parameter, its index for each block, and the running number of blocks.
  return (3 * chunkBytes.length + blocks + chunkBytes.length + 1) * INT64;
}

/** `chunk_cat`: from the gradients into the buffer to be reduced. `chunkBytes`: bytes of each padded chunk in that buffer. */
export function copyInTableBytes(chunkBytes: readonly number[]): number {
  const blocks = sum(chunkBytes.map((bytes) => Math.ceil(bytes / tileBytes)));
  // Six numbers for each gradient (two of them running sums with one more entry) and its index for each block.
  return (6 * chunkBytes.length + 2 + blocks) * INT64;
}
