/** Plays what a step did through the caching allocator. */
import { type AllocatorSettings, CachingAllocator } from './allocator/allocator';
import { type Block, NO_BLOCK } from './allocator/blocks';
import { type AllocationLog, allocationOf, isAllocation, isFree } from './tape/log';

/** The part of a log between two marks. */
export interface LogRange {
  readonly start: number;
  readonly end: number;
}

export class LogPlayer {
  readonly allocator: CachingAllocator;
  /** The block behind each allocation. */
  private readonly blocks: Int32Array;
  /** Event after which most was allocated since `trackPeak`, and how much it was. */
  peakEvent = -1;
  peakBytes = 0;

  constructor(
    private readonly log: AllocationLog,
    settings: AllocatorSettings,
  ) {
    this.allocator = new CachingAllocator(settings);
    this.blocks = new Int32Array(log.allocationCount).fill(NO_BLOCK);
  }

  /**
   * Plays the events of a range. A range that frees all it allocates, and only that, may be played again: that is one more
   * step. `trace` receives the allocated bytes after each event. False: the limit was met and the step failed.
   */
  play({ start, end }: LogRange, trace: Float64Array | null = null): boolean {
    const { allocator, blocks, log } = this;
    for (let event = start; event < end; event++) {
      const code = log.code(event);
      const id = allocationOf(code);
      if (isAllocation(code)) {
        const block = allocator.allocate(log.bytes(id), log.stream(id));
        if (block === NO_BLOCK) return false;
        blocks[id] = block;
        if (allocator.allocatedBytes > this.peakBytes) {
          this.peakBytes = allocator.allocatedBytes;
          this.peakEvent = event;
        }
      } else if (isFree(code)) {
        allocator.free(blocks[id] ?? NO_BLOCK);
        blocks[id] = NO_BLOCK;
      }
      if (trace !== null) trace[event - start] = allocator.allocatedBytes;
    }
    return true;
  }

  /** Starts a new search for the peak. */
  trackPeak(): void {
    this.peakEvent = -1;
    this.peakBytes = this.allocator.allocatedBytes;
  }

  /** Bytes of the block behind an allocation that is live. */
  blockBytes(id: number): number {
    const block: Block = this.blocks[id] ?? NO_BLOCK;
    return block === NO_BLOCK ? 0 : this.allocator.blockBytes(block);
  }
}

/** The events between two marks; null: from the beginning, or to the end. */
export function rangeBetween(log: AllocationLog, from: string | null, to: string | null): LogRange {
  return {
    start: from === null ? 0 : markEvent(log, from),
    end: to === null ? log.eventCount : markEvent(log, to),
  };
}

function markEvent(log: AllocationLog, label: string): number {
  const mark = log.marks.find((candidate) => candidate.label === label);
  if (mark === undefined) throw new Error(`The log has no mark ${label}.`);
  return mark.event;
}

/** True when a range frees exactly what it allocates, so that it may be played again. */
export function isRepeatable(log: AllocationLog, { start, end }: LogRange): boolean {
  const live = new Set<number>();
  for (let event = start; event < end; event++) {
    const code = log.code(event);
    if (isAllocation(code)) live.add(allocationOf(code));
    else if (isFree(code) && !live.delete(allocationOf(code))) return false;
  }
  return live.size === 0;
}
