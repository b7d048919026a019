/**
 * Replays the history of one device: which allocations there were, how large their blocks, and what was allocated and reserved
 * after each entry, byte for byte as PyTorch counts it. What lay there before the history began is found from its end: a block
 * that is there at the end, or is freed on the way, and was never allocated on the way, was there before.
 */
import { blockBytes, blockInStretch, smallRequestBytes } from './blockSizes';
import { actionNumber } from './records';
import type {
  SnapshotAllocatorSettings,
  DeviceTrace,
  SnapshotBlock,
  SnapshotFile,
  SnapshotSegment,
} from './snapshotFile';

const allocated = actionNumber('alloc');
const freeRequested = actionNumber('free_requested');
const freeCompleted = actionNumber('free_completed');
const segmentTaken = actionNumber('segment_alloc');
const segmentGiven = actionNumber('segment_free');
const mapped = actionNumber('segment_map');
const unmapped = actionNumber('segment_unmap');

/** One allocation from its first byte to its end. */
export interface Allocation {
  readonly address: number;
  readonly requestedBytes: number;
  /** Of its block: what `memory_allocated()` counts. */
  bytes: number;
  /** The entry that made it; -1: it was there before the history. */
  readonly allocatedAt: number;
  /** The entry that gave it back; -1: before the history, Infinity: it is there at the end. */
  freedAt: number;
  readonly stack: number;
  /** Of the free; 0: unknown. */
  freeStack: number;
}

export interface DeviceHistory {
  readonly trace: DeviceTrace;
  readonly allocations: readonly Allocation[];
  /** The allocation that an entry is about; -1: none. */
  readonly allocationOf: Int32Array;
  /** After each entry. */
  readonly allocatedBytes: Float64Array;
  readonly reservedBytes: Float64Array;
  /** Before the first entry. */
  readonly startAllocatedBytes: number;
  readonly startReservedBytes: number;
  /** From the end state. */
  readonly endAllocatedBytes: number;
  readonly endReservedBytes: number;
  /** Blocks whose size in the end state differs from the replay, or that only one of them has. */
  readonly mismatches: number;
  /** Whether the history was cut: a block that lives has a stack but no entry that allocated it. */
  readonly isCut: boolean;
}

/** @param device its number, which is its place in `device_traces` */
export function replayDevice(file: SnapshotFile, device: number): DeviceHistory {
  const trace = file.traces[device] ?? { ...emptyTrace };
  const segments = file.segments.filter((segment) => segment.device === device);
  const found = findAllocations(trace, segments);
  const sizes = sizeBlocks(file, trace, segments, found);
  return { trace, ...found, ...sizes };
}

const emptyTrace: DeviceTrace = {
  count: 0,
  action: new Uint8Array(0),
  address: new Float64Array(0),
  size: new Float64Array(0),
  timeUs: new Float64Array(0),
  stack: new Int32Array(0),
};

interface Found {
  readonly allocations: Allocation[];
  readonly allocationOf: Int32Array;
  /** Live blocks of the end state by their address. */
  readonly endBlocks: ReadonlyMap<number, SnapshotBlock>;
  readonly isCut: boolean;
}

function findAllocations(trace: DeviceTrace, segments: readonly SnapshotSegment[]): Found {
  const allocations: Allocation[] = [];
  const allocationOf = new Int32Array(trace.count).fill(-1);
  const live = new Map<number, number>();
  const add = (allocation: Allocation): number => allocations.push(allocation) - 1;
  for (let event = 0; event < trace.count; event++) {
    const address = trace.address[event] ?? 0;
    const requestedBytes = trace.size[event] ?? 0;
    const stack = trace.stack[event] ?? 0;
    const known = live.get(address);
    switch (trace.action[event]) {
      case allocated: {
        // An entry is missing; the memory must have come back.
        const former = known === undefined ? undefined : allocations[known];
        if (former !== undefined && former.freedAt === Infinity) former.freedAt = event;
        const id = add({
          address,
          requestedBytes,
          bytes: 0,
          allocatedAt: event,
          freedAt: Infinity,
          stack,
          freeStack: 0,
        });
        live.set(address, id);
        allocationOf[event] = id;
        break;
      }
      case freeRequested: {
        const id =
          known ??
          add({
            address,
            requestedBytes,
            bytes: 0,
            allocatedAt: -1,
            freedAt: event,
            stack: 0,
            freeStack: stack,
          });
        const allocation = allocations[id];
        if (allocation !== undefined) {
          allocation.freedAt = event;
          allocation.freeStack = stack;
        }
        live.set(address, id);
        allocationOf[event] = id;
        break;
      }
      case freeCompleted: {
        const id =
          known ??
          add({
            address,
            requestedBytes,
            bytes: 0,
            allocatedAt: -1,
            freedAt: -1,
            stack: 0,
            freeStack: stack,
          });
        live.delete(address);
        allocationOf[event] = id;
        break;
      }
      default:
    }
  }
  const endBlocks = new Map<number, SnapshotBlock>();
  let isCut = false;
  for (const { blocks } of segments)
    for (const block of blocks) {
      if (block.state === 'inactive') continue;
      endBlocks.set(block.address, block);
      if (live.has(block.address)) continue;
      const { address, requestedBytes, size, stack } = block;
      const freedAt = block.state === 'active_allocated' ? Infinity : -1;
      add({ address, requestedBytes, bytes: size, allocatedAt: -1, freedAt, stack, freeStack: 0 });
      if (stack !== 0) isCut = true;
    }
  return { allocations, allocationOf, endBlocks, isCut };
}

interface Sizes {
  readonly allocatedBytes: Float64Array;
  readonly reservedBytes: Float64Array;
  readonly startAllocatedBytes: number;
  readonly startReservedBytes: number;
  readonly endAllocatedBytes: number;
  readonly endReservedBytes: number;
  readonly mismatches: number;
}

function sizeBlocks(
  file: SnapshotFile,
  trace: DeviceTrace,
  segments: readonly SnapshotSegment[],
  { allocationOf, allocations, endBlocks }: Found,
): Sizes {
  const endReservedBytes = segments.reduce((sum, { totalBytes }) => sum + totalBytes, 0);
  const endAllocatedBytes = segments.reduce(
    (sum, { blocks }) =>
      blocks.reduce((total, { size, state }) => (state === 'active_allocated' ? total + size : total), sum),
    0,
  );
  const layout = new Layout(segmentsAtStart(trace, segments));
  let reserved = endReservedBytes - reservedChange(trace);
  const startReservedBytes = reserved;
  let allocatedNow = 0;
  const before = allocations.filter(({ allocatedAt }) => allocatedAt < 0);
  for (const { address } of before) layout.add(address);
  const seen = endsSeen(file.settings, trace, segments, before);
  for (const allocation of before) {
    const rounded = blockBytes(allocation.requestedBytes, file.settings);
    if (allocation.bytes === 0)
      allocation.bytes = seen.get(allocation.address) ?? layout.blockAt(allocation.address, rounded, file);
    if (allocation.freedAt >= 0) allocatedNow += allocation.bytes;
  }
  const startAllocatedBytes = allocatedNow;
  const allocatedBytes = new Float64Array(trace.count);
  const reservedBytes = new Float64Array(trace.count);
  for (let event = 0; event < trace.count; event++) {
    const address = trace.address[event] ?? 0;
    const size = trace.size[event] ?? 0;
    const allocation = allocations[allocationOf[event] ?? -1];
    switch (trace.action[event]) {
      case allocated:
        if (allocation === undefined) break;
        allocation.bytes = layout.blockAt(address, blockBytes(size, file.settings), file);
        if (allocation.requestedBytes > smallRequestBytes) layout.add(address);
        allocatedNow += allocation.bytes;
        break;
      case freeRequested:
        allocatedNow -= allocation?.bytes ?? 0;
        break;
      case freeCompleted:
        layout.remove(address);
        break;
      case segmentTaken:
        layout.addSegment(address, size);
        reserved += size;
        break;
      case segmentGiven:
        layout.removeSegment(address);
        reserved -= size;
        break;
      case mapped:
        reserved += size;
        break;
      case unmapped:
        reserved -= size;
        break;
      default:
    }
    allocatedBytes[event] = allocatedNow;
    reservedBytes[event] = reserved;
  }
  let mismatches = 0;
  for (const { address, bytes, freedAt } of allocations)
    if (freedAt === Infinity && endBlocks.get(address)?.size !== bytes) mismatches++;
  return {
    allocatedBytes,
    reservedBytes,
    startAllocatedBytes,
    startReservedBytes,
    endAllocatedBytes,
    endReservedBytes,
    mismatches,
  };
}

/**
 * Sizes of blocks from before the history, where a later entry shows them: a new block begins where the one before it ends. A
 * block may be up to 1 MiB larger than its request, and what lay behind it when it was made is no longer known.
 */
function endsSeen(
  settings: SnapshotAllocatorSettings,
  trace: DeviceTrace,
  segments: readonly SnapshotSegment[],
  before: readonly Allocation[],
): ReadonlyMap<number, number> {
  const sizes = new Map<number, number>();
  const open = new Map<number, Allocation>();
  for (const allocation of before)
    if (allocation.bytes === 0 && allocation.requestedBytes > smallRequestBytes)
      open.set(allocation.address, allocation);
  if (open.size === 0) return sizes;
  const layout = new Layout(segmentsAtStart(trace, segments));
  for (const { address } of before) layout.add(address);
  for (let event = 0; event < trace.count && open.size > 0; event++) {
    const address = trace.address[event] ?? 0;
    if (trace.action[event] === allocated && (trace.size[event] ?? 0) > smallRequestBytes) {
      const former = layout.before(address);
      const allocation = open.get(former);
      const rest = address - former - blockBytes(allocation?.requestedBytes ?? 0, settings);
      if (allocation !== undefined && rest >= 0 && rest <= smallRequestBytes) {
        sizes.set(former, address - former);
        open.delete(former);
      }
      layout.add(address);
    } else if (trace.action[event] === freeCompleted) {
      layout.remove(address);
      open.delete(address);
    }
  }
  return sizes;
}

/** What the entries of the history add to the reserved memory in all. */
function reservedChange(trace: DeviceTrace): number {
  let change = 0;
  for (let event = 0; event < trace.count; event++) {
    const size = trace.size[event] ?? 0;
    const action = trace.action[event];
    if (action === segmentTaken || action === mapped) change += size;
    if (action === segmentGiven || action === unmapped) change -= size;
  }
  return change;
}

/** Ordinary segments as they were before the history: those of the end, with the history undone. */
function segmentsAtStart(
  trace: DeviceTrace,
  segments: readonly SnapshotSegment[],
): ReadonlyMap<number, number> {
  const sizes = new Map<number, number>();
  for (const { address, isExpandable, totalBytes } of segments)
    if (!isExpandable) sizes.set(address, totalBytes);
  for (let event = trace.count - 1; event >= 0; event--) {
    const address = trace.address[event] ?? 0;
    if (trace.action[event] === segmentTaken) sizes.delete(address);
    if (trace.action[event] === segmentGiven) sizes.set(address, trace.size[event] ?? 0);
  }
  return sizes;
}

/** Where segments and the blocks in them begin. Only large blocks matter: others are split to the byte. */
class Layout {
  private readonly starts: number[];
  private readonly sizes: Map<number, number>;
  private readonly blocks: number[] = [];

  constructor(segments: ReadonlyMap<number, number>) {
    this.sizes = new Map(segments);
    this.starts = [...segments.keys()].sort((a, b) => a - b);
  }

  addSegment(address: number, size: number): void {
    if (!this.sizes.has(address)) this.starts.splice(lowerBound(this.starts, address), 0, address);
    this.sizes.set(address, size);
  }

  removeSegment(address: number): void {
    const place = lowerBound(this.starts, address);
    if (this.starts[place] === address) this.starts.splice(place, 1);
    this.sizes.delete(address);
  }

  add(address: number): void {
    const place = lowerBound(this.blocks, address);
    if (this.blocks[place] !== address) this.blocks.splice(place, 0, address);
  }

  remove(address: number): void {
    const place = lowerBound(this.blocks, address);
    if (this.blocks[place] === address) this.blocks.splice(place, 1);
  }

  /** The block before an address; -1: none. */
  before(address: number): number {
    return this.blocks[lowerBound(this.blocks, address) - 1] ?? -1;
  }

  /** The size of the block that a rounded request has at an address. Blocks of expandable segments are split to the byte. */
  blockAt(address: number, roundedBytes: number, { settings }: SnapshotFile): number {
    if (roundedBytes <= smallRequestBytes) return roundedBytes;
    const place = lowerBound(this.starts, address);
    const start = this.starts[place] === address ? address : this.starts[place - 1];
    if (start === undefined) return roundedBytes;
    const end = start + (this.sizes.get(start) ?? 0);
    if (address >= end) return roundedBytes;
    const own = lowerBound(this.blocks, address);
    const next = this.blocks[this.blocks[own] === address ? own + 1 : own] ?? Infinity;
    return blockInStretch(roundedBytes, Math.min(next, end) - address, settings);
  }
}

/** The first place whose item is not below `wanted`. */
function lowerBound(items: readonly number[], wanted: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
