/** Plays what a step did through the caching allocator. */
import { type AllocatorSettings, CachingAllocator } from './allocator/allocator';
import { noBlock } from './allocator/blocks';
import { type AllocationLog, allocationOf, isAllocation, isFree, kindIndex, memoryKinds } from './tape/log';
import { isSameMoment, type Moment } from './tape/marks';

const gradientsKind = kindIndex('gradients');

/** The part of a log between two marks. */
export interface LogRange {
  readonly start: number;
  readonly end: number;
}

/** What a play is asked to note. */
export interface PlayNotes {
  /** Allocated bytes after each event of the range. */
  readonly allocated: Float64Array;
}

/** Plays a log, in parts and as often as asked, and keeps count of what is allocated. */
export class LogPlayer {
  readonly allocator: CachingAllocator;
  /** The block behind each allocation. */
  private readonly blocks: Int32Array;
  /** Bytes of each allocation's block, also after it was freed. */
  readonly blockBytes: Float64Array;
  /** Allocated bytes by kind, in the order of memoryKinds. */
  readonly bytesByKind = new Float64Array(memoryKinds.length);
  private readonly kinds: Uint8Array;
  /** The event after which most was allocated so far, how much, and of which kinds; event -1: none yet. */
  peak: { event: number; bytes: number; byKind: Float64Array };

  /** `allocator`: one that other runs of the same process have left behind, instead of a new one. */
  constructor(
    private readonly log: AllocationLog,
    settings: AllocatorSettings,
    allocator = new CachingAllocator(settings),
  ) {
    this.allocator = allocator;
    this.blocks = new Int32Array(log.allocationCount).fill(noBlock);
    this.blockBytes = new Float64Array(log.allocationCount);
    this.kinds = new Uint8Array(log.allocationCount);
    this.peak = { event: -1, bytes: 0, byKind: new Float64Array(memoryKinds.length) };
  }

  /**
   * Plays the events of a range. Allocations marked in `skipped` are left out: what the first step makes once and keeps, when
   * its events stand for a later step. False: the limit was met and the step failed.
   */
  play({ start, end }: LogRange, skipped: Uint8Array | null = null, notes: PlayNotes | null = null): boolean {
    const { allocator, blockBytes, blocks, bytesByKind, kinds, log } = this;
    for (let event = start; event < end; event++) {
      const code = log.code(event);
      const id = allocationOf(code);
      if (isAllocation(code)) {
        if (skipped === null || skipped[id] === 0) {
          const block = allocator.allocate(log.bytes(id), log.stream(id));
          if (block === noBlock) return false;
          const bytes = allocator.blockBytes(block);
          const kind = log.kind(id);
          blocks[id] = block;
          blockBytes[id] = bytes;
          kinds[id] = kind;
          bytesByKind[kind] = (bytesByKind[kind] ?? 0) + bytes;
          if (allocator.allocatedBytes > this.peak.bytes) this.notePeak(event);
        }
      } else if (isFree(code)) {
        allocator.free(blocks[id] ?? noBlock);
        blocks[id] = noBlock;
        this.count(id, -1);
      } else {
        this.count(id, -1);
        kinds[id] = gradientsKind;
        this.count(id, 1);
      }
      if (notes !== null) notes.allocated[event - start] = allocator.allocatedBytes;
    }
    return true;
  }

  /** Frees what the events of a range allocated and nothing has freed since. */
  freeAll({ start, end }: LogRange): void {
    for (let event = start; event < end; event++) {
      const code = this.log.code(event);
      if (!isAllocation(code)) continue;
      const id = allocationOf(code);
      const block = this.blocks[id] ?? noBlock;
      if (block === noBlock) continue;
      this.allocator.free(block);
      this.blocks[id] = noBlock;
    }
  }

  /** Starts a new search for the peak at what is allocated now. */
  resetPeak(): void {
    this.allocator.resetPeak();
    this.peak = {
      event: -1,
      bytes: this.allocator.allocatedBytes,
      byKind: Float64Array.from(this.bytesByKind),
    };
  }

  private notePeak(event: number): void {
    this.peak.event = event;
    this.peak.bytes = this.allocator.allocatedBytes;
    this.peak.byKind.set(this.bytesByKind);
  }

  private count(id: number, sign: 1 | -1): void {
    const kind = this.kinds[id] ?? 0;
    this.bytesByKind[kind] = (this.bytesByKind[kind] ?? 0) + sign * (this.blockBytes[id] ?? 0);
  }
}

/**
 * How a step's events can stand for the steps after it: the allocations that it makes once and keeps (optimizer state,
 * workspaces), to be skipped. Null where the step frees what it did not make, so that later steps differ.
 */
export function keptByStep(log: AllocationLog, { start, end }: LogRange): Uint8Array | null {
  const kept = new Uint8Array(log.allocationCount);
  const made = new Uint8Array(log.allocationCount);
  for (let event = start; event < end; event++) {
    const code = log.code(event);
    const id = allocationOf(code);
    if (isAllocation(code)) {
      made[id] = 1;
      kept[id] = 1;
    } else if (isFree(code)) {
      if (made[id] === 0) return null;
      kept[id] = 0;
    }
  }
  return kept;
}

/** The events between two moments; null: from the beginning, or to the end. */
export function rangeBetween(log: AllocationLog, from: Moment | null, to: Moment | null): LogRange {
  return {
    start: from === null ? 0 : markEvent(log, from),
    end: to === null ? log.eventCount : markEvent(log, to),
  };
}

function markEvent(log: AllocationLog, moment: Moment): number {
  const mark = log.marks.find((candidate) => isSameMoment(candidate.moment, moment));
  if (mark === undefined) throw new Error(`The log has no mark ${moment.end} ${moment.step ?? ''}.`);
  return mark.event;
}
