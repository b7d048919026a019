/** A memory snapshot as it was written, in typed arrays: the end state by segments and blocks, and the history of each device. */
import { message } from '../i18n/message';
import { GiB, MiB } from '../units';
import { op } from './pickle/opcodes';
import { MemoryBudget } from './pickle/memoryBudget';
import { SnapshotFileError } from './pickle/pickleError';
import { PickleReader, type PickledValue } from './pickle/pickleReader';
import { PickleValues, tag } from './pickle/values';
import { type Annotation, blockStates, type BlockState, SnapshotRecords } from './records';
import { CallStacks } from './callStacks';

/** The history of one device, in the order in which it happened. */
export interface DeviceTrace {
  readonly count: number;
  /** Places in `actions`. */
  readonly action: Uint8Array;
  /** For `oom`: what the driver had free. */
  readonly address: Float64Array;
  /** As asked for, before rounding; for segments as taken from the driver. */
  readonly size: Float64Array;
  /** Microseconds since the epoch; NaN where the version wrote none. */
  readonly timeUs: Float64Array;
  readonly stack: Int32Array;
}

export interface SnapshotBlock {
  readonly address: number;
  readonly size: number;
  readonly requestedBytes: number;
  readonly state: BlockState;
  readonly stack: number;
}

export interface SnapshotSegment {
  readonly device: number;
  readonly address: number;
  readonly totalBytes: number;
  readonly stream: number;
  readonly isLarge: boolean;
  readonly isExpandable: boolean;
  readonly isPrivate: boolean;
  readonly blocks: readonly SnapshotBlock[];
}

/** What of the allocator's settings decides how large blocks become. */
export interface SnapshotAllocatorSettings {
  /** -1: blocks of any size are split. */
  readonly maxSplitBytes: number;
  readonly expandableSegments: boolean;
  /** Divisions between powers of two, by the power's size in MiB; 0: sizes are rounded to 512 bytes. */
  readonly roundupDivisions: ReadonlyMap<number, number>;
}

export interface SnapshotFile {
  readonly traces: readonly DeviceTrace[];
  readonly segments: readonly SnapshotSegment[];
  readonly annotations: readonly Annotation[];
  readonly settings: SnapshotAllocatorSettings;
  readonly stacks: CallStacks;
  readonly keys: readonly string[];
  /** Of the reader's memory, at the most. */
  readonly heldBytes: number;
}

/** What reading may need. A snapshot of 200 MB needs about as much. */
export const standardLimits = {
  memoryBytes: 1.5 * GiB,
  stringBytes: 16 * MiB,
  depth: 1_000,
} as const;

/** A protocol, or in the old ones the dict or list that a snapshot is. Texts and images begin otherwise. */
const beginnings: ReadonlySet<number> = new Set([op.PROTO, op.MARK, op.EMPTY_DICT, op.EMPTY_LIST]);

/** Reads a snapshot piece by piece. */
export class SnapshotFileReader {
  private readonly values;
  private readonly records;
  private readonly reader;
  private isFirst = true;

  constructor(limits: { readonly memoryBytes: number } = standardLimits) {
    this.values = new PickleValues(new MemoryBudget(limits.memoryBytes));
    this.records = new SnapshotRecords(this.values);
    this.reader = new PickleReader(this.values, this.records, standardLimits);
  }

  /** @throws {SnapshotFileError} see PickleReader.push */
  push(piece: Uint8Array): void {
    const [first] = piece;
    if (this.isFirst && first !== undefined) {
      this.isFirst = false;
      if (!beginnings.has(first)) throw new SnapshotFileError(message('memorySnapshot.notPickle'));
    }
    this.reader.push(piece);
  }

  get isDone(): boolean {
    return this.reader.isDone;
  }

  /** @throws {SnapshotFileError} where the file ends too early or is no memory snapshot */
  finish(): SnapshotFile {
    const root = this.reader.finish();
    const { records, values } = this;
    // A bare list of segments is what torch.cuda.memory_snapshot() returns.
    const isList = root.tag === tag.list;
    const segments = isList ? root : this.valueOf(root, 'segments');
    const traces = isList ? null : this.valueOf(root, 'device_traces');
    if (segments?.tag !== tag.list || (isList && records.segments.length === 0))
      throw new SnapshotFileError(message('memorySnapshot.notSnapshot'));
    return {
      traces: traces?.tag === tag.list ? this.tracesOf(traces.number) : [],
      segments: this.segmentsOf(segments.number),
      annotations: records.annotations,
      settings: this.settingsOf(isList ? null : this.valueOf(root, 'allocator_settings')),
      stacks: new CallStacks(values.strings, records.frames, records.stacks),
      keys: this.keysOf(root),
      heldBytes: values.budget.heldBytes,
    };
  }

  private valueOf(dict: PickledValue | null, key: string): PickledValue | null {
    if (dict?.tag !== tag.dict) return null;
    const place = this.values.valuePlace(dict.number, key);
    const { items } = this.values.containers;
    return place < 0 ? null : { tag: items.tag(place), number: items.number(place) };
  }

  private keysOf(root: PickledValue): readonly string[] {
    if (root.tag !== tag.dict) return [];
    const { containers, strings } = this.values;
    const keys: string[] = [];
    let isKey = true;
    containers.forEach(root.number, (place) => {
      if (isKey && containers.items.tag(place) === tag.string)
        keys.push(strings.text(containers.items.number(place)));
      isKey = !isKey;
    });
    return keys.sort();
  }

  private tracesOf(list: number): readonly DeviceTrace[] {
    const { containers } = this.values;
    const traces: DeviceTrace[] = [];
    containers.forEach(list, (place) => {
      traces.push(
        containers.items.tag(place) === tag.list ? this.traceOf(containers.items.number(place)) : noTrace,
      );
    });
    return traces;
  }

  private traceOf(list: number): DeviceTrace {
    const { records, values } = this;
    const { containers } = values;
    const rows = new Int32Array(containers.size(list));
    let count = 0;
    let isRun = true;
    containers.forEach(list, (place) => {
      const row = records.eventRow(containers.items.tag(place), containers.items.number(place));
      if (row < 0) return;
      if (count > 0 && row !== (rows[0] ?? 0) + count) isRun = false;
      rows[count++] = row;
    });
    const first = rows[0] ?? 0;
    const part = <T extends Float64Array | Int32Array | Uint8Array>(
      column: T,
      make: (length: number) => T,
    ): T => {
      const view = column.subarray(first, first + count);
      if (isRun) return view as T;
      const copy = make(count);
      for (let index = 0; index < count; index++) copy[index] = column[rows[index] ?? 0] ?? 0;
      return copy;
    };
    const doubles = (length: number): Float64Array => new Float64Array(length);
    return {
      count,
      action: part<Uint8Array>(records.eventAction.items, (length) => new Uint8Array(length)),
      address: part<Float64Array>(records.eventAddress.items, doubles),
      size: part<Float64Array>(records.eventSize.items, doubles),
      timeUs: part<Float64Array>(records.eventTime.items, doubles),
      stack: part<Int32Array>(records.eventStack.items, (length) => new Int32Array(length)),
    };
  }

  private segmentsOf(list: number): readonly SnapshotSegment[] {
    const { containers } = this.values;
    const segments: SnapshotSegment[] = [];
    containers.forEach(list, (place) => {
      const row = this.records.segmentRow(containers.items.tag(place), containers.items.number(place));
      const record = this.records.segments[row];
      if (record === undefined) return;
      const { blocks, ...segment } = record;
      segments.push({ ...segment, blocks: this.blocksOf(blocks, segment.address) });
    });
    return segments;
  }

  /** Blocks lie one behind the other; before 2.1 they did not say where. */
  private blocksOf(list: number, start: number): readonly SnapshotBlock[] {
    if (list < 0) return [];
    const { records, values } = this;
    const { containers } = values;
    const blocks: SnapshotBlock[] = [];
    let next = start;
    containers.forEach(list, (place) => {
      const row = records.blockRow(containers.items.tag(place), containers.items.number(place));
      if (row < 0) return;
      values.budget.hold(96);
      const size = records.blockSize.at(row);
      const told = records.blockAddress.at(row);
      const requested = records.blockRequested.at(row);
      const address = Number.isNaN(told) ? next : told;
      blocks.push({
        address,
        size,
        requestedBytes: Number.isNaN(requested) ? size : requested,
        state: blockStates[records.blockState.at(row)] ?? 'inactive',
        stack: records.blockStack.at(row),
      });
      next = address + size;
    });
    return blocks;
  }

  private settingsOf(dict: PickledValue | null): SnapshotAllocatorSettings {
    const number = (key: string): number | null => {
      const value = this.valueOf(dict, key);
      return value === null || value.tag > tag.float || value.tag === tag.none ? null : value.number;
    };
    const divisions = new Map<number, number>();
    const roundup = this.valueOf(dict, 'roundup_power2_divisions');
    for (let mebibytes = 1; mebibytes <= 65_536; mebibytes *= 2) {
      const value = this.valueOf(roundup, String(mebibytes));
      if (value !== null && value.tag === tag.integer && value.number > 0)
        divisions.set(mebibytes, value.number);
    }
    return {
      maxSplitBytes: number('max_split_size') ?? -1,
      expandableSegments: number('expandable_segments') === 1,
      roundupDivisions: divisions,
    };
  }
}

const noTrace: DeviceTrace = {
  count: 0,
  action: new Uint8Array(0),
  address: new Float64Array(0),
  size: new Float64Array(0),
  timeUs: new Float64Array(0),
  stack: new Int32Array(0),
};
