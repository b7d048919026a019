/**
 * Reads a pickle of plain values, piece by piece as its bytes come. It is a machine with a stack and a memo, like Python's own
 * (https://docs.python.org/3/library/pickle.html), without the opcodes that import or call: those end the reading, with the
 * name of the class. It never recurses, so nothing in a file can exhaust the stack.
 */
import { message } from '../../i18n/message';
import { argument, argumentOf, callsOut, op, opcodeName } from './opcodes';
import { SnapshotFileError } from './pickleError';
import { asciiOrUtf8, integerOf, latin1, pythonLiteral, unescaped } from './pickleTexts';
import { PickleStack } from './pickleStack';
import { damaged, type PickleValues, tag, ValueList } from './values';

export interface PickleLimits {
  /** The longest string or integer, in bytes. */
  readonly stringBytes: number;
  /** How many containers may be open at once. */
  readonly depth: number;
}

/** Takes dicts of known shapes out of the pickle as soon as they are complete. */
export interface RecordTaker {
  /** A number of its own for a dict (key, value, key, value); -1 leaves it among the plain values. */
  take(items: ValueList, from: number, to: number): number;
  /** The same for a list that was filled at once. */
  takeList(items: ValueList, from: number, to: number): number;
}

/** A dict that no taker wants. */
const plain = -2;
/** Python writes so many items of a list at once (`_BATCHSIZE`); a full batch may be followed by another. */
const batch = 1000;
/** Dicts with more items are no records. */
const largestRecord = 2 * 64;

export interface PickledValue {
  readonly tag: number;
  readonly number: number;
}

export class PickleReader {
  private bytes: Uint8Array = new Uint8Array(0);
  private at = 0;
  /** Bytes of earlier pieces that are no longer held. */
  private passed = 0;
  private readonly machine;
  private readonly stack;
  private readonly scratch;
  private result: PickledValue | null = null;

  constructor(
    private readonly values: PickleValues,
    private readonly taker: RecordTaker,
    private readonly limits: PickleLimits,
  ) {
    const { budget } = values;
    this.machine = new PickleStack(budget, limits.depth, () => this.passed + this.at);
    this.stack = this.machine.values;
    this.scratch = new ValueList(budget);
  }

  /** Whether the pickle's end was read; bytes that follow it are ignored, as Python does. */
  get isDone(): boolean {
    return this.result !== null;
  }

  /**
   * Reads on with the next bytes.
   * @throws {SnapshotFileError} for what is no pickle, is damaged, builds objects, or is over a limit
   */
  push(piece: Uint8Array): void {
    if (this.isDone) return;
    const rest = this.bytes.length - this.at;
    this.passed += this.at;
    if (rest === 0) this.bytes = piece;
    else {
      const joined = new Uint8Array(rest + piece.length);
      joined.set(this.bytes.subarray(this.at));
      joined.set(piece, rest);
      this.bytes = joined;
    }
    this.at = 0;
    this.run();
  }

  /**
   * The value of the pickle.
   * @throws {SnapshotFileError} when it ends too early
   */
  finish(): PickledValue {
    if (this.result === null)
      throw new SnapshotFileError(message('memorySnapshot.cutOff', { at: this.passed + this.bytes.length }));
    return this.result;
  }

  private run(): void {
    const { bytes } = this;
    const { length } = bytes;
    let { at } = this;
    while (at < length) {
      const code = bytes[at] ?? 0;
      // Nine of ten opcodes of a snapshot recall a frame.
      if (code === op.BINGET && at + 1 < length) {
        this.machine.recall(bytes[at + 1] ?? 0);
        at += 2;
        continue;
      }
      this.at = at;
      const end = this.endOf(code, at + 1);
      if (end < 0) return;
      if (callsOut[code] === 1) this.refuse(code, at + 1, end);
      this.step(code, at + 1, end);
      at = end;
      if (this.result !== null) break;
    }
    this.at = at;
  }

  /** Where the opcode's argument ends; -1: not all of it is here yet. */
  private endOf(code: number, from: number): number {
    const layout = argumentOf[code] ?? 0;
    const { bytes } = this;
    if (layout >= 0) return from + layout <= bytes.length ? from + layout : -1;
    if (layout === argument.line) return this.lineEnd(from);
    if (layout === argument.twoLines) {
      const first = this.lineEnd(from);
      return first < 0 ? -1 : this.lineEnd(first);
    }
    const width = layout === argument.counted1 ? 1 : layout === argument.counted4 ? 4 : 8;
    if (from + width > bytes.length) return -1;
    const length = this.unsigned(from, width);
    this.checkLength(length);
    const end = from + width + length;
    return end <= bytes.length ? end : -1;
  }

  private lineEnd(from: number): number {
    const end = this.bytes.indexOf(0x0a, from);
    const length = (end < 0 ? this.bytes.length : end) - from;
    this.checkLength(length);
    return end < 0 ? -1 : end + 1;
  }

  private checkLength(length: number): void {
    const { stringBytes: limit } = this.limits;
    if (length > limit)
      throw new SnapshotFileError(
        message('memorySnapshot.tooLong', { at: this.passed + this.at, length, limit }),
      );
  }

  /** A little-endian number; beyond 2^53 it is inexact, and larger than any limit. */
  private unsigned(from: number, width: number): number {
    let value = 0;
    for (let index = width - 1; index >= 0; index--) value = value * 256 + (this.bytes[from + index] ?? 0);
    return value;
  }

  private step(code: number, from: number, end: number): void {
    const { bytes, stack } = this;
    switch (code) {
      case op.BINGET:
        return this.machine.recall(bytes[from] ?? 0);
      case op.LONG_BINGET:
        return this.machine.recall(this.unsigned(from, 4));
      case op.MEMOIZE:
        return this.machine.memoise(this.machine.memo.length);
      case op.MARK:
        return this.machine.mark();
      case op.EMPTY_DICT:
        return this.pushContainer(tag.dict);
      case op.EMPTY_LIST:
        return this.pushContainer(tag.list);
      case op.EMPTY_TUPLE:
        return this.pushContainer(tag.tuple);
      case op.EMPTY_SET:
        return this.pushContainer(tag.set);
      case op.SETITEMS:
        return this.setItems(this.machine.popMark(code));
      case op.SETITEM:
        return this.setItems(this.machine.below(2, code));
      case op.APPENDS:
        return this.append(tag.list, this.machine.popMark(code));
      case op.APPEND:
        return this.append(tag.list, this.machine.below(1, code));
      case op.ADDITEMS:
        return this.append(tag.set, this.machine.popMark(code));
      case op.BININT1:
        return stack.push(tag.integer, bytes[from] ?? 0);
      case op.BININT2:
        return stack.push(tag.integer, this.unsigned(from, 2));
      case op.BININT:
        return stack.push(tag.integer, this.unsigned(from, 4) | 0);
      case op.LONG1:
        return stack.push(tag.integer, integerOf(bytes, from + 1, end));
      case op.LONG4:
        return stack.push(tag.integer, integerOf(bytes, from + 4, end));
      case op.BINFLOAT:
        return stack.push(tag.float, new DataView(bytes.buffer, bytes.byteOffset + from, 8).getFloat64(0));
      case op.SHORT_BINUNICODE:
        return this.pushText(tag.string, asciiOrUtf8(bytes, from + 1, end));
      case op.BINUNICODE:
        return this.pushText(tag.string, asciiOrUtf8(bytes, from + 4, end));
      case op.BINUNICODE8:
        return this.pushText(tag.string, asciiOrUtf8(bytes, from + 8, end));
      case op.SHORT_BINSTRING:
        return this.pushText(tag.string, asciiOrUtf8(bytes, from + 1, end));
      case op.BINSTRING:
        return this.pushText(tag.string, asciiOrUtf8(bytes, from + 4, end));
      case op.SHORT_BINBYTES:
        return this.pushText(tag.bytes, latin1(bytes, from + 1, end));
      case op.BINBYTES:
        return this.pushText(tag.bytes, latin1(bytes, from + 4, end));
      case op.BINBYTES8:
      case op.BYTEARRAY8:
        return this.pushText(tag.bytes, latin1(bytes, from + 8, end));
      case op.NONE:
        return stack.push(tag.none, 0);
      case op.NEWTRUE:
        return stack.push(tag.boolean, 1);
      case op.NEWFALSE:
        return stack.push(tag.boolean, 0);
      case op.TUPLE:
        return this.collect(tag.tuple, this.machine.popMark(code), true);
      case op.TUPLE1:
        return this.collect(tag.tuple, this.machine.below(1, code), false);
      case op.TUPLE2:
        return this.collect(tag.tuple, this.machine.below(2, code), false);
      case op.TUPLE3:
        return this.collect(tag.tuple, this.machine.below(3, code), false);
      case op.LIST:
        return this.collect(tag.list, this.machine.popMark(code), true);
      case op.FROZENSET:
        return this.collect(tag.set, this.machine.popMark(code), true);
      case op.DICT:
        return this.collectDict(this.machine.popMark(code));
      case op.BINPUT:
        return this.machine.memoise(bytes[from] ?? 0);
      case op.LONG_BINPUT:
        return this.machine.memoise(this.unsigned(from, 4));
      case op.POP:
        return stack.truncate(this.machine.below(1, code));
      case op.POP_MARK:
        return stack.truncate(this.machine.popMark(code));
      case op.DUP: {
        const top = this.machine.below(1, code);
        return stack.push(stack.tag(top), stack.number(top));
      }
      case op.STOP: {
        const top = this.machine.below(1, code);
        this.result = { tag: stack.tag(top), number: stack.number(top) };
        return;
      }
      case op.FRAME:
        return;
      case op.PROTO:
        if ((bytes[from] ?? 0) > 5)
          throw new SnapshotFileError(
            message('memorySnapshot.unknownProtocol', { protocol: bytes[from] ?? 0 }),
          );
        return;
      default:
        return this.stepText(code, from, end);
    }
  }

  /** The opcodes of protocol 0, whose arguments are lines of text. */
  private stepText(code: number, from: number, end: number): void {
    const line = (): string => latin1(this.bytes, from, end - 1).replace(/\r$/, '');
    const number = (text: string): number => {
      const value = pythonLiteral(text);
      return value ?? damaged(this.passed + this.at, opcodeName(code) ?? '');
    };
    switch (code) {
      case op.INT: {
        const text = line();
        // Booleans of protocol 1 and before.
        if (text === '01' || text === '00') return this.stack.push(tag.boolean, text === '01' ? 1 : 0);
        return this.stack.push(tag.integer, number(text));
      }
      case op.LONG:
        return this.stack.push(tag.integer, number(line().replace(/L$/, '')));
      case op.FLOAT:
        return this.stack.push(tag.float, number(line()));
      case op.STRING:
        return this.pushText(tag.string, unescaped(line().replace(/^(['"])(.*)\1$/s, '$2')));
      case op.UNICODE:
        return this.pushText(tag.string, unescaped(line()));
      case op.GET:
        return this.machine.recall(number(line()));
      case op.PUT:
        return this.machine.memoise(number(line()));
      default:
        throw new SnapshotFileError(message('memorySnapshot.noOpcode', { at: this.passed + this.at, code }));
    }
  }

  private pushText(tagOfText: number, text: string): void {
    this.stack.push(tagOfText, this.values.strings.place(text));
  }

  private pushContainer(tagOfContainer: number): void {
    this.stack.push(tagOfContainer, this.values.containers.create());
  }

  private append(wanted: number, from: number): void {
    const { stack } = this;
    const { containers } = this.values;
    const opcode = wanted === tag.set ? 'ADDITEMS' : 'APPENDS';
    const target = this.machine.target(wanted, from, opcode);
    if (containers.record(target) >= 0) return damaged(this.passed + this.at, opcode);
    const isWhole = stack.length - from < batch && containers.isEmpty(target);
    const record = isWhole ? this.taker.takeList(stack, from, stack.length) : -1;
    if (record >= 0) containers.setRecord(target, record);
    else {
      for (let index = from; index < stack.length; index++)
        if (stack.tags[index] === tag.dict) this.settle(stack.number(index));
      containers.add(target, stack, from, stack.length);
    }
    stack.truncate(from);
  }

  private setItems(from: number): void {
    const { stack } = this;
    const { containers } = this.values;
    const target = this.machine.target(tag.dict, from, 'SETITEMS');
    if ((stack.length - from) % 2 !== 0 || containers.record(target) >= 0)
      return damaged(this.passed + this.at, 'SETITEMS');
    for (let index = from + 1; index < stack.length; index += 2)
      if (stack.tags[index] === tag.dict) this.settle(stack.number(index));
    const count = stack.length - from;
    const record =
      count > 0 && count <= largestRecord && containers.isEmpty(target)
        ? this.taker.take(stack, from, stack.length)
        : -1;
    if (record >= 0) containers.setRecord(target, record);
    else containers.add(target, stack, from, stack.length);
    stack.truncate(from);
  }

  private collect(tagOfContainer: number, from: number, settles: boolean): void {
    const { stack } = this;
    const container = this.values.containers.create();
    if (settles)
      for (let index = from; index < stack.length; index++)
        if (stack.tags[index] === tag.dict) this.settle(stack.number(index));
    this.values.containers.add(container, stack, from, stack.length);
    stack.truncate(from);
    stack.push(tagOfContainer, container);
  }

  private collectDict(from: number): void {
    if ((this.stack.length - from) % 2 !== 0) return damaged(this.passed + this.at, 'DICT');
    this.collect(tag.dict, from, true);
  }

  /** Offers a dict that was filled item by item to the taker when it is first used: writers fill before they use. */
  private settle(container: number): void {
    const { containers } = this.values;
    if (containers.record(container) !== -1) return;
    const { scratch } = this;
    scratch.truncate(0);
    containers.forEach(container, (place) => {
      if (scratch.length <= largestRecord)
        scratch.push(containers.items.tag(place), containers.items.number(place));
    });
    const isRecord = scratch.length > 0 && scratch.length <= largestRecord;
    const record = isRecord ? this.taker.take(scratch, 0, scratch.length) : -1;
    containers.setRecord(container, record >= 0 ? record : plain);
    if (record >= 0) containers.release(container);
  }

  private refuse(code: number, from: number, end: number): never {
    const at = this.passed + this.at;
    const opcode = opcodeName(code) ?? '';
    const name = this.nameAt(code, from, end);
    throw new SnapshotFileError(
      name === null
        ? message('memorySnapshot.callingOpcode', { opcode, at })
        : message('memorySnapshot.namesClass', { name, opcode, at }),
    );
  }

  /** The class or function that an opcode names; null for one that names none. */
  private nameAt(code: number, from: number, end: number): string | null {
    const { stack, values } = this;
    if (code === op.GLOBAL || code === op.INST)
      return latin1(this.bytes, from, end - 1)
        .slice(0, 200)
        .replace('\n', '.');
    if (code !== op.STACK_GLOBAL || stack.length < 2) return null;
    const part = (place: number): string =>
      stack.tag(place) === tag.string ? values.strings.text(stack.number(place)).slice(0, 100) : '?';
    return `${part(stack.length - 2)}.${part(stack.length - 1)}`;
  }
}
