/**
 * The plain values of a pickle without one JavaScript object each: a value is a tag and a number, and containers are numbers
 * of a table. A snapshot of 200 MB holds some ten million values; as objects they would take ten times the file.
 */
import { message } from '../../i18n/message';
import { int32List, type MemoryBudget } from './memoryBudget';
import { SnapshotFileError } from './pickleError';

/** What the number of a value means. */
export const tag = {
  none: 0,
  /** 0 or 1. */
  boolean: 1,
  /** The integer; beyond 2^53 the nearest double. */
  integer: 2,
  float: 3,
  /** A place in the strings. */
  string: 4,
  /** A place in the strings, one character a byte. */
  bytes: 5,
  /** A place in the containers. */
  tuple: 6,
  list: 7,
  dict: 8,
  set: 9,
} as const;

/** A growing sequence of values. The arrays are open to the reader's inner loop; their ends beyond `length` mean nothing. */
export class ValueList {
  tags = new Uint8Array(256);
  numbers = new Float64Array(256);
  length = 0;

  constructor(private readonly budget: MemoryBudget) {
    budget.hold(this.tags.byteLength + this.numbers.byteLength);
  }

  push(tagOfValue: number, number: number): void {
    const place = this.length++;
    if (place === this.tags.length) this.reserve(place + 1);
    this.tags[place] = tagOfValue;
    this.numbers[place] = number;
  }

  tag(index: number): number {
    return this.tags[index] ?? 0;
  }

  number(index: number): number {
    return this.numbers[index] ?? 0;
  }

  /** Puts a value at a place up to the end. */
  set(index: number, tagOfValue: number, number: number): void {
    if (index === this.length) return this.push(tagOfValue, number);
    this.tags[index] = tagOfValue;
    this.numbers[index] = number;
  }

  /** Adds the values `from` to `to` of another list. */
  pushAll(other: ValueList, from: number, to: number): void {
    const start = this.length;
    const end = start + to - from;
    if (end > this.tags.length) this.reserve(end);
    for (let index = from, place = start; index < to; index++, place++) {
      this.tags[place] = other.tags[index] ?? 0;
      this.numbers[place] = other.numbers[index] ?? 0;
    }
    this.length = end;
  }

  truncate(length: number): void {
    this.length = length;
  }

  private reserve(length: number): void {
    const size = Math.max(length, this.tags.length * 2);
    const { numbers, tags } = this;
    // The old arrays and the new ones are held at once while they are copied.
    this.budget.hold(9 * size);
    this.tags = new Uint8Array(size);
    this.tags.set(tags);
    this.numbers = new Float64Array(size);
    this.numbers.set(numbers);
    this.budget.hold(-9 * tags.length);
  }
}

/** Every distinct string once. */
export class StringTable {
  private readonly texts: string[] = [];
  private readonly places = new Map<string, number>();

  constructor(private readonly budget: MemoryBudget) {}

  place(text: string): number {
    const known = this.places.get(text);
    if (known !== undefined) return known;
    // Two bytes a character at most, and what an entry of a Map and an array takes.
    this.budget.hold(2 * text.length + 80);
    const place = this.texts.length;
    this.texts.push(text);
    this.places.set(text, place);
    return place;
  }

  text(place: number): string {
    return this.texts[place] ?? '';
  }

  get count(): number {
    return this.texts.length;
  }
}

const none = -1;

/** Lists, tuples, sets and dicts (key, value, key, value) over one store of items. */
export class Containers {
  readonly items: ValueList;
  private readonly firstSpan;
  private readonly lastSpan;
  private readonly records;
  private readonly spanStart;
  private readonly spanEnd;
  private readonly nextSpan;

  constructor(budget: MemoryBudget) {
    this.items = new ValueList(budget);
    this.firstSpan = int32List(budget);
    this.lastSpan = int32List(budget);
    this.records = int32List(budget);
    this.spanStart = int32List(budget);
    this.spanEnd = int32List(budget);
    this.nextSpan = int32List(budget);
  }

  create(): number {
    this.firstSpan.push(none);
    this.lastSpan.push(none);
    this.records.push(none);
    return this.firstSpan.length - 1;
  }

  get count(): number {
    return this.firstSpan.length;
  }

  isEmpty(container: number): boolean {
    return this.firstSpan.at(container) === none;
  }

  /** The record that a dict was taken as; -1: none. */
  record(container: number): number {
    return this.records.at(container);
  }

  setRecord(container: number, record: number): void {
    this.records.items[container] = record;
  }

  /** Adds the values `from` to `to` of a list to a container. */
  add(container: number, values: ValueList, from: number, to: number): void {
    if (to <= from) return;
    const start = this.items.length;
    this.items.pushAll(values, from, to);
    const last = this.lastSpan.at(container);
    if (last !== none && this.spanEnd.at(last) === start) {
      this.spanEnd.items[last] = this.items.length;
      return;
    }
    const span = this.spanStart.length;
    this.spanStart.push(start);
    this.spanEnd.push(this.items.length);
    this.nextSpan.push(none);
    if (last === none) this.firstSpan.items[container] = span;
    else this.nextSpan.items[last] = span;
    this.lastSpan.items[container] = span;
  }

  /** Calls back with the place of each item in `items`, in order. */
  forEach(container: number, visit: (place: number) => void): void {
    for (let span = this.firstSpan.at(container); span !== none; span = this.nextSpan.at(span))
      for (let place = this.spanStart.at(span); place < this.spanEnd.at(span); place++) visit(place);
  }

  /** Number of items. */
  size(container: number): number {
    let size = 0;
    for (let span = this.firstSpan.at(container); span !== none; span = this.nextSpan.at(span))
      size += this.spanEnd.at(span) - this.spanStart.at(span);
    return size;
  }

  /** Forgets the items of a container that was taken as a record; their room is used again where they came last. */
  release(container: number): void {
    const span = this.firstSpan.at(container);
    if (span === none) return;
    if (span === this.lastSpan.at(container) && this.spanEnd.at(span) === this.items.length) {
      this.items.truncate(this.spanStart.at(span));
      if (span === this.spanStart.length - 1) {
        this.spanStart.length--;
        this.spanEnd.length--;
        this.nextSpan.length--;
      }
    }
    this.firstSpan.items[container] = none;
    this.lastSpan.items[container] = none;
  }
}

/** All values of one pickle. */
export class PickleValues {
  readonly strings: StringTable;
  readonly containers: Containers;

  constructor(readonly budget: MemoryBudget) {
    this.strings = new StringTable(budget);
    this.containers = new Containers(budget);
  }

  /** The place of a dict's value by its key, or -1; the last of equal keys counts, as in Python. */
  valuePlace(dict: number, key: string): number {
    const { containers, strings } = this;
    const { items } = containers;
    let found = -1;
    let isKey = true;
    let isWanted = false;
    containers.forEach(dict, (place) => {
      if (isKey) isWanted = items.tag(place) === tag.string && strings.text(items.number(place)) === key;
      else if (isWanted) found = place;
      isKey = !isKey;
    });
    return found;
  }
}

/** @throws {SnapshotFileError} always: an opcode found other values than it needs */
export function damaged(at: number, opcode: string): never {
  throw new SnapshotFileError(message('memorySnapshot.damaged', { at, opcode }));
}
