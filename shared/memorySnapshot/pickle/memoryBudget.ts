import { message } from '../../i18n/message';
import { SnapshotFileError } from './pickleError';

/** Counts what a reader holds, so that no file can make it hold more than its limit. */
export class MemoryBudget {
  /** Bytes held now. */
  heldBytes = 0;

  constructor(readonly limitBytes: number) {}

  /**
   * Takes note of `bytes` more (or fewer, where negative).
   * @throws {SnapshotFileError} when that would be over the limit
   */
  hold(bytes: number): void {
    this.heldBytes += bytes;
    if (this.heldBytes > this.limitBytes)
      throw new SnapshotFileError(message('memorySnapshot.tooMuchMemory', { limit: this.limitBytes }));
  }
}

type Numbers = Float64Array | Int32Array | Uint8Array;

/** A list of numbers that grows by doubling, within a budget. */
export class NumberList<T extends Numbers> {
  length = 0;

  constructor(
    readonly budget: MemoryBudget,
    private readonly make: (length: number) => T,
    public items: T = make(64),
  ) {
    budget.hold(items.byteLength);
  }

  push(value: number): void {
    if (this.length === this.items.length) this.reserve(this.length + 1);
    this.items[this.length++] = value;
  }

  at(index: number): number {
    return this.items[index] ?? 0;
  }

  /** Makes room for `length` items in all. */
  reserve(length: number): void {
    if (length <= this.items.length) return;
    const old = this.items;
    const size = Math.max(length, old.length * 2);
    // The old and the new one are held at once while one is copied into the other.
    this.budget.hold(size * old.BYTES_PER_ELEMENT);
    this.items = this.make(size);
    this.items.set(old);
    this.budget.hold(-old.byteLength);
  }
}

export const float64List = (budget: MemoryBudget): NumberList<Float64Array> =>
  new NumberList(budget, (length) => new Float64Array(length));
export const int32List = (budget: MemoryBudget): NumberList<Int32Array> =>
  new NumberList(budget, (length) => new Int32Array(length));
export const byteList = (budget: MemoryBudget): NumberList<Uint8Array> =>
  new NumberList(budget, (length) => new Uint8Array(length));
