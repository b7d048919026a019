/**
 * Takes the dicts that a memory snapshot is made of out of the pickle as they come: trace entries, frames, blocks, segments and
 * annotations become rows of typed arrays, so that a file of a million entries needs some hundred bytes for each.
 * What PyTorch writes: `torch/csrc/cuda/Module.cpp` (THCPModule_memorySnapshot) and `memory_snapshot.cpp`; the same keys since
 * 2.1, of which later versions add some. Older files have a `history` in place of `frames` and `requested_size`.
 */
import { byteList, float64List, int32List } from './pickle/memoryBudget';
import type { RecordTaker } from './pickle/pickleReader';
import { tag, type PickleValues, type ValueList } from './pickle/values';
import { SequenceTable } from './sequenceTable';

/** The keys that mean something here; their places in the strings are their numbers. */
const fields = [
  'action',
  'addr',
  'device_free',
  'size',
  'time_us',
  'frames',
  'name',
  'filename',
  'line',
  'address',
  'requested_size',
  'state',
  'history',
  'real_size',
  'device',
  'total_size',
  'stream',
  'segment_type',
  'segment_pool_id',
  'is_expandable',
  'blocks',
  'stage',
] as const;
type Field = (typeof fields)[number];

const field = (name: Field): number => fields.indexOf(name);
const F = {
  action: field('action'),
  addr: field('addr'),
  deviceFree: field('device_free'),
  size: field('size'),
  time: field('time_us'),
  frames: field('frames'),
  name: field('name'),
  filename: field('filename'),
  line: field('line'),
  address: field('address'),
  requested: field('requested_size'),
  state: field('state'),
  history: field('history'),
  realSize: field('real_size'),
  device: field('device'),
  totalSize: field('total_size'),
  stream: field('stream'),
  segmentType: field('segment_type'),
  poolId: field('segment_pool_id'),
  isExpandable: field('is_expandable'),
  blocks: field('blocks'),
  stage: field('stage'),
} as const;

/** What an entry of the history says; the order is that of the numbers stored. */
export const actions = [
  'alloc',
  'free_requested',
  'free_completed',
  'segment_alloc',
  'segment_free',
  'segment_map',
  'segment_unmap',
  'snapshot',
  'oom',
] as const;
export type TraceAction = (typeof actions)[number];
/** The number of an action. */
export const actionNumber = (action: TraceAction): number => actions.indexOf(action);

export const blockStates = ['active_allocated', 'active_pending_free', 'inactive'] as const;
export type BlockState = (typeof blockStates)[number];

const kinds = { event: 0, frame: 1, block: 2, segment: 3, annotation: 4, past: 5 } as const;
type RecordKind = (typeof kinds)[keyof typeof kinds];

/** The beginning or end of a range that was annotated, such as an optimizer's step. */
export interface Annotation {
  readonly isStart: boolean;
  readonly name: string;
  readonly device: number;
  readonly timeUs: number;
}

export interface SegmentRecord {
  readonly device: number;
  readonly address: number;
  readonly totalBytes: number;
  readonly stream: number;
  readonly isLarge: boolean;
  readonly isExpandable: boolean;
  /** Owned by a CUDA graph or another private pool. */
  readonly isPrivate: boolean;
  readonly stack: number;
  /** The container of its blocks; -1: none. */
  readonly blocks: number;
}

export class SnapshotRecords implements RecordTaker {
  /** Triples of file, function (places in the strings) and line. */
  readonly frames;
  /** Sequences of frames, innermost first; 0 is the empty one. */
  readonly stacks;
  readonly eventAction;
  readonly eventAddress;
  readonly eventSize;
  readonly eventTime;
  readonly eventStack;
  readonly blockAddress;
  readonly blockSize;
  readonly blockRequested;
  readonly blockState;
  readonly blockStack;
  readonly segments: SegmentRecord[] = [];
  readonly annotations: Annotation[] = [];
  /** Whether any trace entry names something that only later versions write. */
  readonly seenKeys = new Set<number>();

  /** Where each field's value lies in the dict at hand; -1: absent. */
  private readonly places = new Int32Array(fields.length).fill(-1);
  private items: ValueList;
  private scratch = new Int32Array(1024);
  private readonly actionOf = new Map<number, number>();
  private readonly stateOf = new Map<number, number>();
  private readonly past: { readonly realSize: number; readonly stack: number }[] = [];

  constructor(private readonly values: PickleValues) {
    const { budget, strings } = values;
    for (const name of fields) strings.place(name);
    actions.forEach((action, number) => this.actionOf.set(strings.place(action), number));
    blockStates.forEach((state, number) => this.stateOf.set(strings.place(state), number));
    this.frames = new SequenceTable(budget);
    this.stacks = new SequenceTable(budget);
    this.stacks.place(this.scratch, 0);
    this.eventAction = byteList(budget);
    this.eventAddress = float64List(budget);
    this.eventSize = float64List(budget);
    this.eventTime = float64List(budget);
    this.eventStack = int32List(budget);
    this.blockAddress = float64List(budget);
    this.blockSize = float64List(budget);
    this.blockRequested = float64List(budget);
    this.blockState = byteList(budget);
    this.blockStack = int32List(budget);
    this.items = values.containers.items;
  }

  take(items: ValueList, from: number, to: number): number {
    const { places } = this;
    this.items = items;
    places.fill(-1);
    for (let index = from; index + 1 < to; index += 2) {
      if (items.tag(index) !== tag.string) continue;
      const key = items.number(index);
      if (key < places.length) places[key] = index + 1;
    }
    if (this.has(F.action) && this.has(F.size)) return this.takeEvent();
    if (this.has(F.name) && this.has(F.filename) && this.has(F.line)) return this.takeFrame();
    if (this.has(F.state) && this.has(F.size)) return this.takeBlock();
    if (this.has(F.totalSize) && this.has(F.blocks)) return this.takeSegment();
    if (this.has(F.stage) && this.has(F.name)) return this.takeAnnotation();
    if (this.has(F.realSize) && this.has(F.addr)) return this.takePast();
    return -1;
  }

  /** A list of frames is a stack; its number is the stack's. */
  takeList(items: ValueList, from: number, to: number): number {
    const { containers } = this.values;
    if (to - from > this.scratch.length) return -1;
    for (let index = from; index < to; index++) {
      const record = items.tags[index] === tag.dict ? containers.record(items.number(index)) : -1;
      if (record < 0 || (record & 7) !== kinds.frame) return -1;
      this.scratch[index - from] = record >> 3;
    }
    return this.stacks.place(this.scratch, to - from);
  }

  /** The row of a value that was taken as an entry of the history; -1: it is none. */
  eventRow(tagOfValue: number, number: number): number {
    return this.row(tagOfValue, number, kinds.event);
  }

  blockRow(tagOfValue: number, number: number): number {
    return this.row(tagOfValue, number, kinds.block);
  }

  segmentRow(tagOfValue: number, number: number): number {
    return this.row(tagOfValue, number, kinds.segment);
  }

  private row(tagOfValue: number, container: number, kind: RecordKind): number {
    if (tagOfValue !== tag.dict) return -1;
    const record = this.values.containers.record(container);
    return record >= 0 && (record & 7) === kind ? record >> 3 : -1;
  }

  private has(key: number): boolean {
    return (this.places[key] ?? -1) >= 0;
  }

  /** A number of the dict at hand; NaN where it is absent or none. */
  private number(key: number): number {
    const place = this.places[key] ?? -1;
    if (place < 0) return Number.NaN;
    const kind = this.items.tag(place);
    return kind === tag.integer || kind === tag.float || kind === tag.boolean
      ? this.items.number(place)
      : Number.NaN;
  }

  /** The place of a text in the strings; -1. */
  private text(key: number): number {
    const place = this.places[key] ?? -1;
    return place >= 0 && this.items.tag(place) === tag.string ? this.items.number(place) : -1;
  }

  private takeEvent(): number {
    const action = this.actionOf.get(this.text(F.action));
    if (action === undefined) return -1;
    const stack = this.stack(F.frames);
    this.eventAction.push(action);
    this.eventAddress.push(this.number(this.has(F.addr) ? F.addr : F.deviceFree));
    this.eventSize.push(this.number(F.size));
    this.eventTime.push(this.number(F.time));
    this.eventStack.push(stack);
    return (this.eventAction.length - 1) * 8 + kinds.event;
  }

  private takeFrame(): number {
    const [file, name] = [this.text(F.filename), this.text(F.name)];
    const line = this.number(F.line);
    if (file < 0 || name < 0) return -1;
    this.scratch[0] = file;
    this.scratch[1] = name;
    this.scratch[2] = line;
    return this.frames.place(this.scratch, 3) * 8 + kinds.frame;
  }

  private takeBlock(): number {
    const state = this.stateOf.get(this.text(F.state));
    if (state === undefined) return -1;
    const past = this.lastPast();
    this.blockAddress.push(this.number(F.address));
    this.blockSize.push(this.number(F.size));
    this.blockRequested.push(
      this.has(F.requested) ? this.number(F.requested) : (past?.realSize ?? Number.NaN),
    );
    this.blockStack.push(this.has(F.frames) ? this.stack(F.frames) : (past?.stack ?? 0));
    this.blockState.push(state);
    return (this.blockState.length - 1) * 8 + kinds.block;
  }

  /** What a block of PyTorch before 2.1 says of the tensor in it. */
  private lastPast(): { readonly realSize: number; readonly stack: number } | null {
    const place = this.places[F.history] ?? -1;
    if (place < 0 || this.items.tag(place) !== tag.list) return null;
    const { containers } = this.values;
    let found = -1;
    containers.forEach(this.items.number(place), (item) => {
      if (found < 0) found = this.row(containers.items.tag(item), containers.items.number(item), kinds.past);
    });
    return this.past[found] ?? null;
  }

  private takePast(): number {
    this.past.push({ realSize: this.number(F.realSize), stack: this.stack(F.frames) });
    this.values.budget.hold(48);
    return (this.past.length - 1) * 8 + kinds.past;
  }

  private takeSegment(): number {
    const { strings } = this.values;
    const blocks = this.places[F.blocks] ?? -1;
    this.values.budget.hold(160);
    this.segments.push({
      device: this.number(F.device) || 0,
      address: this.number(F.address),
      totalBytes: this.number(F.totalSize),
      stream: this.number(F.stream) || 0,
      isLarge: this.has(F.segmentType) ? strings.text(this.text(F.segmentType)) !== 'small' : true,
      isExpandable: this.number(F.isExpandable) === 1,
      isPrivate: this.isPrivatePool(),
      stack: this.stack(F.frames),
      blocks: this.items.tag(blocks) === tag.list ? this.items.number(blocks) : -1,
    });
    return (this.segments.length - 1) * 8 + kinds.segment;
  }

  /** The default pool is (0, 0). */
  private isPrivatePool(): boolean {
    const place = this.places[F.poolId] ?? -1;
    if (place < 0 || this.items.tag(place) !== tag.tuple) return false;
    const { containers } = this.values;
    let isPrivate = false;
    containers.forEach(this.items.number(place), (item) => {
      if (containers.items.number(item) !== 0) isPrivate = true;
    });
    return isPrivate;
  }

  private takeAnnotation(): number {
    this.values.budget.hold(80);
    this.annotations.push({
      isStart: this.values.strings.text(this.text(F.stage)) === 'START',
      name: this.values.strings.text(this.text(F.name)),
      device: this.number(F.device) || 0,
      timeUs: this.number(F.time),
    });
    return (this.annotations.length - 1) * 8 + kinds.annotation;
  }

  /** The number of the stack in a field that lists frames. */
  private stack(key: number): number {
    const place = this.places[key] ?? -1;
    if (place < 0 || this.items.tag(place) !== tag.list) return 0;
    const { containers } = this.values;
    const list = this.items.number(place);
    const known = containers.record(list);
    if (known >= 0) return known;
    let length = 0;
    containers.forEach(list, (item) => {
      const frame = this.row(containers.items.tag(item), containers.items.number(item), kinds.frame);
      if (frame < 0) return;
      if (length === this.scratch.length) {
        const grown = new Int32Array(length * 2);
        grown.set(this.scratch);
        this.scratch = grown;
      }
      this.scratch[length++] = frame;
    });
    const stack = this.stacks.place(this.scratch, length);
    containers.setRecord(list, stack);
    containers.release(list);
    return stack;
  }
}
