import { int32List, type MemoryBudget } from './pickle/memoryBudget';

/** Every distinct sequence of integers once, by number: call stacks repeat a thousand times in a snapshot. */
export class SequenceTable {
  private readonly pool;
  private readonly starts;
  private readonly hashes;
  private slots = new Int32Array(1024).fill(-1);

  constructor(private readonly budget: MemoryBudget) {
    this.pool = int32List(budget);
    this.starts = int32List(budget);
    this.hashes = int32List(budget);
    budget.hold(this.slots.byteLength);
    this.starts.push(0);
  }

  get count(): number {
    return this.starts.length - 1;
  }

  /** The number of the sequence in the first `length` items. */
  place(items: Int32Array, length: number): number {
    let hash = length;
    for (let index = 0; index < length; index++) hash = (Math.imul(hash, 31) + (items[index] ?? 0)) | 0;
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (let known = this.slots[slot] ?? -1; known >= 0; known = this.slots[slot] ?? -1) {
      if (this.hashes.at(known) === hash && this.equals(known, items, length)) return known;
      slot = (slot + 1) & mask;
    }
    return this.add(items, length, hash, slot);
  }

  /** The items of a sequence. */
  items(place: number): readonly number[] {
    return [...this.pool.items.subarray(this.starts.at(place), this.starts.at(place + 1))];
  }

  item(place: number, index: number): number {
    return this.pool.at(this.starts.at(place) + index);
  }

  private equals(place: number, items: Int32Array, length: number): boolean {
    const start = this.starts.at(place);
    if (this.starts.at(place + 1) - start !== length) return false;
    for (let index = 0; index < length; index++)
      if (this.pool.items[start + index] !== items[index]) return false;
    return true;
  }

  private add(items: Int32Array, length: number, hash: number, slot: number): number {
    const place = this.count;
    this.pool.reserve(this.pool.length + length);
    this.pool.items.set(items.subarray(0, length), this.pool.length);
    this.pool.length += length;
    this.starts.push(this.pool.length);
    this.hashes.push(hash);
    this.slots[slot] = place;
    if (this.count * 2 > this.slots.length) this.rehash();
    return place;
  }

  private rehash(): void {
    const size = this.slots.length * 2;
    this.budget.hold(size * 2);
    this.slots = new Int32Array(size).fill(-1);
    for (let place = 0; place < this.count; place++) {
      let slot = this.hashes.at(place) & (size - 1);
      while ((this.slots[slot] ?? -1) >= 0) slot = (slot + 1) & (size - 1);
      this.slots[slot] = place;
    }
  }
}
