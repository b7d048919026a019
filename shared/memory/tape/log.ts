/**
 * What a step did to the card's memory, in order: every allocation and every free, with the bytes asked
 * for, what the memory is (its kind), which part of the model asked (its place) and on which stream.
 *
 * The log knows nothing of the caching allocator; it is played through one afterwards, as often as needed
 * (both address orders, expandable segments, a limit). Typed arrays, because a 7B LoRA step has 17,000
 * events and an 80-layer one ten times as many.
 */

import type { Moment } from './marks';

/** What memory is for. The order is the order in which answers list it. */
export const memoryKinds = [
  'parameters',
  'gradients',
  'optimizer',
  'activations',
  'logits',
  'buffers',
  'workspace',
] as const;

export type MemoryKind = (typeof memoryKinds)[number];

/** A kind as its index in memoryKinds, the form the log stores. */
export type KindIndex = number;

/** The index of a kind. */
export const kindIndex = (kind: MemoryKind): KindIndex => memoryKinds.indexOf(kind);

/** The default stream, on which everything runs that does not say otherwise. */
export const defaultStream = 0;

/** A point between two events, such as the end of a phase. */
export interface LogMark {
  /** Number of events before the mark. */
  readonly event: number;
  readonly moment: Moment;
}

/** Events at or above this code turn the allocation `code - retagOffset` into a parameter's gradient. */
const retagOffset = 2 ** 29;

/** What one process did on one card, in order. */
export class AllocationLog {
  /** Codes: `id` allocates, `~id` frees, `retagOffset + id` says that the memory became a gradient. */
  private codes = new Int32Array(4096);
  private sizes = new Float64Array(2048);
  private kindOf = new Uint8Array(2048);
  private placeOf = new Int32Array(2048);
  private streamOf = new Uint8Array(2048);
  private readonly markList: LogMark[] = [];
  private readonly placeNames: string[] = [''];
  private readonly placeIndices = new Map<string, number>([['', 0]]);

  /** Number of events so far. */
  eventCount = 0;
  /** Number of allocations so far; ids count from 0. */
  allocationCount = 0;
  /** Bytes asked for and not yet freed, before any rounding. */
  liveBytes = 0;
  /** The most that `liveBytes` was. */
  mostLiveBytes = 0;

  get marks(): readonly LogMark[] {
    return this.markList;
  }

  allocate(bytes: number, kind: KindIndex, place: number, stream: number): number {
    const id = this.allocationCount++;
    if (id === this.sizes.length) this.growAllocations();
    this.sizes[id] = bytes;
    this.kindOf[id] = kind;
    this.placeOf[id] = place;
    this.streamOf[id] = stream;
    this.liveBytes += bytes;
    if (this.liveBytes > this.mostLiveBytes) this.mostLiveBytes = this.liveBytes;
    this.push(id);
    return id;
  }

  free(id: number): void {
    this.liveBytes -= this.bytes(id);
    this.push(~id);
  }

  /** The memory of `id` is from now on a parameter's gradient (autograd takes it over without a copy). */
  becomeGradient(id: number): void {
    this.push(retagOffset + id);
  }

  mark(moment: Moment): void {
    this.markList.push({ event: this.eventCount, moment });
  }

  /** The index of a place (a module's path) in this log. */
  place(name: string): number {
    const known = this.placeIndices.get(name);
    if (known !== undefined) return known;
    const index = this.placeNames.length;
    this.placeNames.push(name);
    this.placeIndices.set(name, index);
    return index;
  }

  /** Number of places so far. */
  get placeCount(): number {
    return this.placeNames.length;
  }

  placeName(index: number): string {
    return this.placeNames[index] ?? '';
  }

  /** The event's code: see `isAllocation`, `isFree` and `allocationOf`. */
  code(event: number): number {
    return this.codes[event] ?? 0;
  }

  bytes(id: number): number {
    return this.sizes[id] ?? 0;
  }

  kind(id: number): KindIndex {
    return this.kindOf[id] ?? 0;
  }

  placeIndex(id: number): number {
    return this.placeOf[id] ?? 0;
  }

  stream(id: number): number {
    return this.streamOf[id] ?? 0;
  }

  private push(code: number): void {
    if (this.eventCount === this.codes.length) {
      const grown = new Int32Array(this.codes.length * 2);
      grown.set(this.codes);
      this.codes = grown;
    }
    this.codes[this.eventCount++] = code;
  }

  private growAllocations(): void {
    const length = this.sizes.length * 2;
    const grow = <T extends Float64Array | Uint8Array | Int32Array>(next: T, old: T): T => {
      next.set(old);
      return next;
    };
    this.sizes = grow(new Float64Array(length), this.sizes);
    this.kindOf = grow(new Uint8Array(length), this.kindOf);
    this.placeOf = grow(new Int32Array(length), this.placeOf);
    this.streamOf = grow(new Uint8Array(length), this.streamOf);
  }
}

/** Whether an event's code says that memory was freed. */
export const isFree = (code: number): boolean => code < 0;
/** Whether it says that memory was allocated. */
export const isAllocation = (code: number): boolean => code >= 0 && code < retagOffset;

/** The allocation that an event is about. */
export const allocationOf = (code: number): number =>
  code < 0 ? ~code : code >= retagOffset ? code - retagOffset : code;
