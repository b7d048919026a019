import {
  type AllocatorState,
  largeSegmentBytes,
  mergeFree,
  type Pool,
  segmentBytes,
  type Segments,
  smallSegmentBytes,
} from './allocator';
import { type Block, noBlock } from './blocks';

/** Address space of one segment, far more than is ever played (`estimate` refuses at a pebibyte). */
const addressSpaceBytes = 2 ** 52;

/**
 * Expandable segments: a pool is one range of addresses into which memory is mapped in pieces of 2 MiB (small pool) or 20 MiB,
 * and from which whole free pieces can be unmapped again.
 */
export class ExpandableSegments implements Segments {
  constructor(
    private readonly state: AllocatorState,
    /** First address of each pool that has one, by the pool's index. */
    private readonly starts = new Map<number, number>(),
  ) {}

  copy(state: AllocatorState): ExpandableSegments {
    return new ExpandableSegments(state, new Map(this.starts));
  }

  grow(pool: Pool, size: number): Block {
    const { state } = this;
    if (state.limitBytes !== null && state.reservedBytes + segmentBytes(size) > state.limitBytes)
      return noBlock;
    if (!this.starts.has(pool.index)) this.reserveAddresses(pool);
    let block = this.candidate(pool, size);
    const { table } = state;
    if (!table.isMapped(block)) block = this.map(pool, block, Math.min(table.sizeOf(block), size));
    while (table.sizeOf(block) < size) {
      const next = table.nextOf(block);
      block = this.map(pool, next, Math.min(size - table.sizeOf(block), table.sizeOf(next)));
    }
    pool.blocks.delete(block);
    table.free[block] = 0;
    return block;
  }

  release(pool: Pool): void {
    for (const block of pool.blocks.all()) this.unmap(pool, block);
  }

  private reserveAddresses(pool: Pool): void {
    const { table } = this.state;
    const start = (this.starts.size + 1) * 2 * addressSpaceBytes;
    this.starts.set(pool.index, start);
    const space = table.create(addressSpaceBytes, start, pool.index);
    table.free[space] = 1;
    table.mapped[space] = 0;
    pool.unmapped.insert(space);
  }

  /** The lowest free run of at least `size` bytes that begins with unmapped addresses or the free block before them. */
  private candidate(pool: Pool, size: number): Block {
    const { table } = this.state;
    for (const unmapped of pool.unmapped.all()) {
      const before = table.previousOf(unmapped);
      const first = before !== noBlock && table.isFree(before) ? before : unmapped;
      let bytes = 0;
      for (let block = first; bytes < size && block !== noBlock && table.isFree(block);) {
        bytes += table.sizeOf(block);
        block = table.nextOf(block);
      }
      if (bytes >= size) return first;
    }
    throw new Error('The address space of a segment is used up.');
  }

  private pieceBytes(pool: Pool): number {
    return pool.small ? smallSegmentBytes : largeSegmentBytes;
  }

  /** Puts memory behind the first `size` bytes of an unmapped block, in whole pieces, and merges it with free neighbours. */
  private map(pool: Pool, block: Block, size: number): Block {
    const { state } = this;
    const { table } = state;
    const piece = this.pieceBytes(pool);
    const bytes = Math.min(Math.ceil(size / piece) * piece, table.sizeOf(block));
    pool.unmapped.delete(block);
    if (bytes < table.sizeOf(block)) pool.unmapped.insert(table.cut(block, bytes));
    table.mapped[block] = 1;
    state.reservedBytes += bytes;
    state.reservedPeakBytes = Math.max(state.reservedPeakBytes, state.reservedBytes);
    const whole = mergeFree(table, pool, block);
    pool.blocks.insert(whole);
    return whole;
  }

  /** Takes the memory from the whole pieces inside a free block; what lies before and after stays free. */
  private unmap(pool: Pool, block: Block): void {
    const { state } = this;
    const { table } = state;
    const piece = this.pieceBytes(pool);
    const start = this.starts.get(pool.index) ?? 0;
    const offset = table.addressOf(block) - start;
    const first = Math.ceil(offset / piece) * piece;
    const end = Math.floor((offset + table.sizeOf(block)) / piece) * piece;
    if (end <= first) return;
    pool.blocks.delete(block);
    let middle = block;
    if (first > offset) {
      middle = table.cut(block, first - offset);
      pool.blocks.insert(block);
    }
    if (end - first < table.sizeOf(middle)) pool.blocks.insert(table.cut(middle, end - first));
    table.mapped[middle] = 0;
    state.reservedBytes -= end - first;
    pool.unmapped.insert(mergeFree(table, pool, middle));
  }
}
