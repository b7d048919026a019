/** Memory that the allocator holds and no tensor uses. */
import type { SnapshotSegment } from './snapshotFile';

export interface Fragmentation {
  /** Free, but in segments that something else still uses: it cannot go back to the driver, nor serve a larger request. */
  readonly unusableBytes: number;
  /** The largest free block: no larger request succeeds without the driver. */
  readonly largestFreeBytes: number;
  /** In segments that are wholly free, which the allocator gives back before it fails. */
  readonly releasableBytes: number;
  /** Segments with most that is free but unusable, largest first. */
  readonly segments: readonly SegmentFragmentation[];
}

export interface SegmentFragmentation {
  readonly address: number;
  readonly totalBytes: number;
  readonly unusableBytes: number;
  readonly largestFreeBytes: number;
  readonly blocks: number;
  readonly isPrivate: boolean;
}

const mostSegments = 10;

/** The fragmentation of a device's segments as they were at the end. */
export function fragmentationOf(segments: readonly SnapshotSegment[]): Fragmentation {
  const rows = segments.map((segment) => {
    const free = segment.blocks.filter(({ state }) => state === 'inactive').map(({ size }) => size);
    const freeBytes = free.reduce((sum, size) => sum + size, 0);
    const isUnused = segment.blocks.every(({ state }) => state === 'inactive');
    return {
      address: segment.address,
      totalBytes: segment.totalBytes,
      freeBytes,
      // Expandable segments give single pages back.
      unusableBytes: isUnused || segment.isExpandable ? 0 : freeBytes,
      largestFreeBytes: free.reduce((largest, size) => Math.max(largest, size), 0),
      blocks: segment.blocks.length,
      isPrivate: segment.isPrivate,
    };
  });
  const unusableBytes = rows.reduce((sum, row) => sum + row.unusableBytes, 0);
  return {
    unusableBytes,
    largestFreeBytes: rows.reduce((largest, row) => Math.max(largest, row.largestFreeBytes), 0),
    releasableBytes: rows.reduce((sum, row) => sum + row.freeBytes, 0) - unusableBytes,
    segments: rows
      .filter((row) => row.unusableBytes > 0)
      .sort((one, other) => other.unusableBytes - one.unusableBytes)
      .slice(0, mostSegments)
      .map(({ freeBytes: _, ...row }) => row),
  };
}
