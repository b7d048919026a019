import { type AllocatorState, type Pool, segmentBytes, type Segments } from './allocator';
import { type Block, noBlock } from './blocks';
import { MiB } from '../../units';

/**
 * The driver's habit: each new segment below the last, or above it. Measured: falling on Linux with CUDA 13; which one it
 * is shows only in ties.
 */
export type AddressOrder = 'falling' | 'rising';

/** Segments do not touch, so blocks of two never merge. */
const segmentGapBytes = 2 * MiB;
const firstAddress = 2 ** 46;

/** Segments of fixed size from cudaMalloc; one goes back when it is a single free block. */
export class NativeSegments implements Segments {
  constructor(
    private readonly state: AllocatorState,
    private readonly order: AddressOrder,
    private edge = firstAddress,
  ) {}

  copy(state: AllocatorState): NativeSegments {
    return new NativeSegments(state, this.order, this.edge);
  }

  grow(pool: Pool, size: number): Block {
    const { state } = this;
    const bytes = segmentBytes(size);
    if (state.limitBytes !== null && state.reservedBytes + bytes > state.limitBytes) return noBlock;
    let address = this.edge;
    if (this.order === 'falling') {
      this.edge -= bytes + segmentGapBytes;
      address = this.edge;
    } else this.edge += bytes + segmentGapBytes;
    state.reservedBytes += bytes;
    state.reservedPeakBytes = Math.max(state.reservedPeakBytes, state.reservedBytes);
    return state.table.create(bytes, address, pool.index);
  }

  release(pool: Pool): void {
    const { table } = this.state;
    for (const block of pool.blocks.all()) {
      if (table.previousOf(block) !== noBlock || table.nextOf(block) !== noBlock) continue;
      pool.blocks.delete(block);
      this.state.reservedBytes -= table.sizeOf(block);
      table.remove(block);
    }
  }
}
