/**
 * PyTorch's caching allocator for CUDA, by its documented rules, which decide what `memory_reserved` becomes.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/c10/cuda/CUDACachingAllocator.cpp
 *
 * Sizes are rounded to 512 bytes. Requests up to 1 MiB live in the small pool, larger ones in the large pool; pools are apart for
 * each stream. The smallest free block that is large enough serves, at equal size the one with the lowest address. What remains
 * of it is split off where it is worth it. Neighbouring free blocks merge. Memory goes back to the driver only when the cache is
 * emptied or a limit is met.
 */
import { BlockList, type Block, BlockTable, noBlock } from './blocks';
import { ExpandableSegments } from './expandable';
import { type AddressOrder, NativeSegments } from './native';
import { MiB } from '../../units';

/*
 * Bytes; in brackets PyTorch's names. They stand in the file above and in the header that it includes, between which they have moved
 * from release to release with the same values.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/c10/core/AllocatorConfig.h
 */

/** What every request is rounded up to a multiple of (`kMinBlockSize`). */
const roundingBytes = 512;
/** The largest request of the small pool (`kSmallSize`). */
const smallRequestBytes = MiB;
/** A segment of the small pool, and a piece of an expandable one (`kSmallBuffer`). */
export const smallSegmentBytes = 2 * MiB;
/** A segment of the large pool for requests below `ownSegmentFromBytes`, and a piece of an expandable one (`kLargeBuffer`). */
export const largeSegmentBytes = 20 * MiB;
/** The smallest request that gets a segment of its own (`kMinLargeAlloc`). */
const ownSegmentFromBytes = 10 * MiB;
/** What such a segment is rounded up to a multiple of (`kRoundLarge`). */
const ownSegmentRoundingBytes = 2 * MiB;

export interface AllocatorSettings {
  /** `expandable_segments:True`: one growing segment a pool instead of many of fixed size. */
  readonly expandableSegments: boolean;
  /** Bytes that may be reserved; null: no limit. */
  readonly limitBytes: number | null;
  /** Whether the driver hands out new segments at falling or rising addresses; it decides ties between equal blocks. */
  readonly addressOrder: AddressOrder;
}

/** Free blocks of one stream and size class. */
export interface Pool {
  readonly index: number;
  readonly small: boolean;
  readonly blocks: BlockList;
  /** Address space without memory, in expandable segments. */
  readonly unmapped: BlockList;
}

/** How memory is taken from the driver and given back. */
export interface Segments {
  /** A free block of at least `size` bytes made of new memory, out of its list, or noBlock when the limit forbids it. */
  grow(pool: Pool, size: number): Block;
  /** Gives back what is wholly free. */
  release(pool: Pool): void;
  /** The same for a copied state. */
  copy(state: AllocatorState): Segments;
}

/** Shared between the allocator and its segments. */
export interface AllocatorState {
  readonly table: BlockTable;
  limitBytes: number | null;
  reservedBytes: number;
  reservedPeakBytes: number;
}

/** Bytes that a request takes from the driver when nothing cached serves it. */
export function segmentBytes(size: number): number {
  if (size <= smallRequestBytes) return smallSegmentBytes;
  if (size < ownSegmentFromBytes) return largeSegmentBytes;
  return Math.ceil(size / ownSegmentRoundingBytes) * ownSegmentRoundingBytes;
}

/** Bytes of the block that a request gets where nothing remains over. */
export function roundedBytes(bytes: number): number {
  return bytes < roundingBytes ? roundingBytes : Math.ceil(bytes / roundingBytes) * roundingBytes;
}

/** The allocator of one process on one card. */
export class CachingAllocator {
  private state: AllocatorState;
  private segments: Segments;
  private readonly pools = new Map<number, Pool>();
  private readonly expandable: boolean;
  /** Bytes of blocks given out, whole blocks counted. */
  allocatedBytes = 0;
  allocatedPeakBytes = 0;

  constructor(private readonly settings: AllocatorSettings) {
    this.state = {
      table: new BlockTable(),
      limitBytes: settings.limitBytes,
      reservedBytes: 0,
      reservedPeakBytes: 0,
    };
    this.expandable = settings.expandableSegments;
    this.segments = settings.expandableSegments
      ? new ExpandableSegments(this.state)
      : new NativeSegments(this.state, settings.addressOrder);
  }

  /** From here on at most so many bytes may be reserved; null: any number. What is reserved already stays. */
  setLimit(limitBytes: number | null): void {
    this.state.limitBytes = limitBytes;
  }

  /** Another allocator in the same state, in which blocks have the same numbers. */
  copy(): CachingAllocator {
    const copied = new CachingAllocator(this.settings);
    const table = this.state.table.copy();
    copied.state = { ...this.state, table };
    copied.segments = this.segments.copy(copied.state);
    for (const [index, pool] of this.pools)
      copied.pools.set(index, {
        ...pool,
        blocks: pool.blocks.copy(table),
        unmapped: pool.unmapped.copy(table),
      });
    copied.allocatedBytes = this.allocatedBytes;
    copied.allocatedPeakBytes = this.allocatedPeakBytes;
    return copied;
  }

  /**
   * Addresses and sizes of all that is free, by pool. Where two are equal, the same requests have the same consequences, as long as
   * they free only what they made themselves.
   */
  freeLayout(): readonly number[] {
    const { table } = this.state;
    return [...this.pools.values()].flatMap(({ index, blocks, unmapped }) =>
      [blocks, unmapped].flatMap((list) => [
        index,
        list.length,
        ...list.all().flatMap((block) => [table.addressOf(block), table.sizeOf(block)]),
      ]),
    );
  }

  get reservedBytes(): number {
    return this.state.reservedBytes;
  }

  get reservedPeakBytes(): number {
    return this.state.reservedPeakBytes;
  }

  /** Size of a block that `allocate` returned. */
  blockBytes(block: Block): number {
    return this.state.table.sizeOf(block);
  }

  /** First address of a block that is given out. */
  blockAddress(block: Block): number {
    return this.state.table.addressOf(block);
  }

  /** Gives out a block for `bytes`, or noBlock when the limit is met even after the cache was emptied. */
  allocate(bytes: number, stream: number): Block {
    const { table } = this.state;
    const size = roundedBytes(bytes);
    const pool = this.poolFor(size, stream);
    const fitting = this.bestFit(pool, size);
    let block = noBlock;
    if (fitting < pool.blocks.length) block = pool.blocks.take(fitting);
    else {
      block = this.segments.grow(pool, size);
      if (block === noBlock) {
        this.emptyCache();
        block = this.segments.grow(pool, size);
        if (block === noBlock) return noBlock;
      }
    }
    const remaining = table.sizeOf(block) - size;
    table.free[block] = 1;
    if (pool.small || this.expandable ? remaining >= roundingBytes : remaining > smallRequestBytes)
      pool.blocks.insert(table.cut(block, size));
    table.free[block] = 0;
    this.allocatedBytes += table.sizeOf(block);
    if (this.allocatedBytes > this.allocatedPeakBytes) this.allocatedPeakBytes = this.allocatedBytes;
    return block;
  }

  /** Takes back a block that `allocate` gave out. Throws for any other, and for one that was freed already. */
  free(block: Block): void {
    const { table } = this.state;
    if (!table.isGivenOut(block)) throw new Error(`Block ${block} is not given out.`);
    const pool = this.poolOf(block);
    this.allocatedBytes -= table.sizeOf(block);
    table.free[block] = 1;
    pool.blocks.insert(mergeFree(table, pool, block));
  }

  /** `torch.cuda.empty_cache()`: wholly free segments go back to the driver. */
  emptyCache(): void {
    for (const pool of this.pools.values()) this.segments.release(pool);
  }

  /** `torch.cuda.reset_peak_memory_stats()`. */
  resetPeak(): void {
    this.allocatedPeakBytes = this.allocatedBytes;
    this.state.reservedPeakBytes = this.state.reservedBytes;
  }

  /** Index of the free block that serves; behind the last where none does. */
  private bestFit(pool: Pool, size: number): number {
    const { table } = this.state;
    let index = pool.blocks.firstOfSize(size);
    if (index === pool.blocks.length || !this.expandable) return index;
    // A block that can still grow counts as large as it may become, so smaller ones are taken before it.
    const expandedSize = (block: Block): number => {
      const next = table.nextOf(block);
      return table.sizeOf(block) + (next !== noBlock && !table.isMapped(next) ? table.sizeOf(next) : 0);
    };
    while (
      index + 1 < pool.blocks.length &&
      expandedSize(pool.blocks.at(index + 1)) < expandedSize(pool.blocks.at(index))
    )
      index++;
    return index;
  }

  private poolFor(size: number, stream: number): Pool {
    const small = size <= smallRequestBytes;
    const index = stream * 2 + (small ? 0 : 1);
    const known = this.pools.get(index);
    if (known !== undefined) return known;
    const pool: Pool = {
      index,
      small,
      blocks: new BlockList(this.state.table, 'size'),
      unmapped: new BlockList(this.state.table, 'address'),
    };
    this.pools.set(index, pool);
    return pool;
  }

  private poolOf(block: Block): Pool {
    const pool = this.pools.get(this.state.table.poolOf(block));
    if (pool === undefined) throw new Error('The block belongs to no pool.');
    return pool;
  }
}

/** Merges a free block with its free neighbours of the same kind, which leave their list; returns the whole. */
export function mergeFree(table: BlockTable, pool: Pool, block: Block): Block {
  const isMapped = table.isMapped(block);
  const list = isMapped ? pool.blocks : pool.unmapped;
  const next = table.nextOf(block);
  if (isMergeable(table, next, isMapped)) {
    list.delete(next);
    table.join(block, next);
  }
  const previous = table.previousOf(block);
  if (!isMergeable(table, previous, isMapped)) return block;
  list.delete(previous);
  table.join(previous, block);
  return previous;
}

const isMergeable = (table: BlockTable, block: Block, isMapped: boolean): boolean =>
  block !== noBlock && table.isFree(block) && table.isMapped(block) === isMapped;
