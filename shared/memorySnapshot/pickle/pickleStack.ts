/** The stack and the memo of a pickle, with the marks that say where an open container's items begin. */
import { message } from '../../i18n/message';
import { int32List, type MemoryBudget } from './memoryBudget';
import { op, opcodeName } from './opcodes';
import { SnapshotFileError } from './pickleError';
import { damaged, ValueList } from './values';

/** A value that was not memoised; no pickle can hold it. */
const unset = 255;
/** Memo indices count the values; a gap beyond this is no writer's work. */
const memoGap = 65_536;

export class PickleStack {
  readonly values;
  readonly memo;
  private readonly marks;

  /** `at`: the byte that is read, for what is said of damage. */
  constructor(
    budget: MemoryBudget,
    private readonly depth: number,
    private readonly at: () => number,
  ) {
    this.values = new ValueList(budget);
    this.memo = new ValueList(budget);
    this.marks = int32List(budget);
  }

  mark(): void {
    if (this.marks.length >= this.depth)
      throw new SnapshotFileError(message('memorySnapshot.tooDeep', { limit: this.depth }));
    this.marks.push(this.values.length);
  }

  /** The place of the first value after the last mark, which is taken off. */
  popMark(code: number): number {
    if (this.marks.length === 0) return damaged(this.at(), opcodeName(code) ?? '');
    return this.marks.items[--this.marks.length] ?? 0;
  }

  /** The place of the last values, none of which may lie before the last mark. */
  below(count: number, code: number): number {
    const place = this.values.length - count;
    return place < this.floor() ? damaged(this.at(), opcodeName(code) ?? '') : place;
  }

  /** The container below `from`. */
  target(wanted: number, from: number, opcode: string): number {
    if (from - 1 < this.floor() || this.values.tag(from - 1) !== wanted) return damaged(this.at(), opcode);
    return this.values.number(from - 1);
  }

  memoise(index: number): void {
    const { memo, values } = this;
    const top = this.below(1, op.MEMOIZE);
    if (!(index >= 0 && index <= memo.length + memoGap)) return damaged(this.at(), 'PUT');
    while (memo.length < index) memo.push(unset, 0);
    memo.set(index, values.tag(top), values.number(top));
  }

  recall(index: number): void {
    const { memo } = this;
    const tagOfValue = index < memo.length ? memo.tags[index] : undefined;
    if (tagOfValue === undefined || tagOfValue === unset) return damaged(this.at(), 'GET');
    this.values.push(tagOfValue, memo.numbers[index] ?? 0);
  }

  private floor(): number {
    return this.marks.length === 0 ? 0 : this.marks.at(this.marks.length - 1);
  }
}
