/**
 * The allocator's blocks: neighbours in address order within a segment, and the lists of free ones. Numbers instead of
 * objects, because a step of a large model makes and merges hundreds of thousands of them.
 */

/** A block's number in the table; numbers of blocks that are gone are given again. */
export type Block = number;
/** In place of a block where there is none. */
export const noBlock: Block = -1;

/** What is known of every block; sizes and addresses in bytes. */
export class BlockTable {
  size = new Float64Array(1024);
  address = new Float64Array(1024);
  previous = new Int32Array(1024);
  next = new Int32Array(1024);
  pool = new Uint16Array(1024);
  /** 1: free to be given out (or unmapped), 0: given out. */
  free = new Uint8Array(1024);
  /** 0: address space of an expandable segment without memory behind it. */
  mapped = new Uint8Array(1024);
  private count = 0;
  private recycled: Block[] = [];

  copy(): BlockTable {
    const copied = new BlockTable();
    copied.size = this.size.slice();
    copied.address = this.address.slice();
    copied.previous = this.previous.slice();
    copied.next = this.next.slice();
    copied.pool = this.pool.slice();
    copied.free = this.free.slice();
    copied.mapped = this.mapped.slice();
    copied.count = this.count;
    copied.recycled = [...this.recycled];
    return copied;
  }

  create(size: number, address: number, pool: number): Block {
    const block = this.recycled.pop() ?? this.count++;
    if (block === this.size.length) this.grow();
    this.size[block] = size;
    this.address[block] = address;
    this.previous[block] = noBlock;
    this.next[block] = noBlock;
    this.pool[block] = pool;
    this.free[block] = 0;
    this.mapped[block] = 1;
    return block;
  }

  /** Cuts `block` after `size` bytes; the rest is a new block behind it with the same state. */
  cut(block: Block, size: number): Block {
    const rest = this.create(this.sizeOf(block) - size, this.addressOf(block) + size, this.poolOf(block));
    const after = this.nextOf(block);
    this.previous[rest] = block;
    this.next[rest] = after;
    if (after !== noBlock) this.previous[after] = rest;
    this.next[block] = rest;
    this.size[block] = size;
    this.free[rest] = this.free[block] ?? 0;
    this.mapped[rest] = this.mapped[block] ?? 0;
    return rest;
  }

  /** Joins `second`, the neighbour behind, into `first`. */
  join(first: Block, second: Block): void {
    const after = this.nextOf(second);
    this.size[first] = this.sizeOf(first) + this.sizeOf(second);
    this.next[first] = after;
    if (after !== noBlock) this.previous[after] = first;
    this.recycled.push(second);
  }

  remove(block: Block): void {
    this.recycled.push(block);
  }

  sizeOf(block: Block): number {
    return this.size[block] ?? 0;
  }

  addressOf(block: Block): number {
    return this.address[block] ?? 0;
  }

  poolOf(block: Block): number {
    return this.pool[block] ?? 0;
  }

  previousOf(block: Block): Block {
    return this.previous[block] ?? noBlock;
  }

  nextOf(block: Block): Block {
    return this.next[block] ?? noBlock;
  }

  isFree(block: Block): boolean {
    return this.free[block] === 1;
  }

  /** False for numbers that are no block, and for blocks that are free or joined into another. */
  isGivenOut(block: Block): boolean {
    return block >= 0 && block < this.count && this.free[block] === 0;
  }

  isMapped(block: Block): boolean {
    return this.mapped[block] === 1;
  }

  private grow(): void {
    const length = this.size.length * 2;
    const copy = <T extends Float64Array | Int32Array | Uint16Array | Uint8Array>(next: T, old: T): T => {
      next.set(old);
      return next;
    };
    this.size = copy(new Float64Array(length), this.size);
    this.address = copy(new Float64Array(length), this.address);
    this.previous = copy(new Int32Array(length), this.previous);
    this.next = copy(new Int32Array(length), this.next);
    this.pool = copy(new Uint16Array(length), this.pool);
    this.free = copy(new Uint8Array(length), this.free);
    this.mapped = copy(new Uint8Array(length), this.mapped);
  }
}

/**
 * Blocks in order of size and then address, or of address alone: std::set in PyTorch's allocator. Kept in a typed array, in which places
 * move without making new objects.
 */
export class BlockList {
  private blocks: Int32Array;

  constructor(
    private readonly table: BlockTable,
    private readonly order: 'size' | 'address',
    /** Number of blocks. */
    public length = 0,
    blocks = new Int32Array(64),
  ) {
    this.blocks = blocks;
  }

  /** The same blocks of a copied table. */
  copy(table: BlockTable): BlockList {
    return new BlockList(table, this.order, this.length, this.blocks.slice());
  }

  at(index: number): Block {
    return index < this.length ? (this.blocks[index] ?? noBlock) : noBlock;
  }

  all(): readonly Block[] {
    return [...this.blocks.subarray(0, this.length)];
  }

  /** Index of the first block with at least `size` bytes. */
  firstOfSize(size: number): number {
    return this.search(size, 0);
  }

  insert(block: Block): void {
    if (this.length === this.blocks.length) {
      const grown = new Int32Array(this.length * 2);
      grown.set(this.blocks);
      this.blocks = grown;
    }
    const index = this.place(block);
    this.blocks.copyWithin(index + 1, index, this.length);
    this.blocks[index] = block;
    this.length++;
  }

  delete(block: Block): void {
    const index = this.place(block);
    if (this.at(index) !== block) throw new Error('The block is not in this list.');
    this.take(index);
  }

  /** Takes out the block at an index. */
  take(index: number): Block {
    const block = this.at(index);
    this.blocks.copyWithin(index, index + 1, this.length);
    this.length--;
    return block;
  }

  private place(block: Block): number {
    const { table } = this;
    return this.search(this.order === 'size' ? table.sizeOf(block) : 0, table.addressOf(block));
  }

  /** Index of the first block that does not come before (size, address). */
  private search(size: number, address: number): number {
    const { blocks, table } = this;
    const bySize = this.order === 'size';
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const block = blocks[middle] ?? noBlock;
      const ownSize = bySize ? table.sizeOf(block) : 0;
      if (ownSize < size || (ownSize === size && table.addressOf(block) < address)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
