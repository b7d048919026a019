/** Who holds the memory at one moment: by the stack that allocated it and by what it is for. */
import { kindName } from './kinds';
import type { MemoryKind } from '../memory/tape/log';
import type { DeviceHistory } from './replay';

export interface SnapshotHolder {
  readonly stack: number;
  readonly kind: MemoryKind | null;
  readonly bytes: number;
  readonly count: number;
}

/** What is allocated after an entry (-1: before the first), largest first. */
export function holdersAt(
  history: DeviceHistory,
  kinds: Uint8Array,
  event: number,
): readonly SnapshotHolder[] {
  const found = new Map<number, { bytes: number; count: number }>();
  history.allocations.forEach(({ allocatedAt, bytes, freedAt, stack }, id) => {
    if (allocatedAt > event || freedAt <= event) return;
    const key = stack * 16 + (kinds[id] ?? 0);
    const holder = found.get(key);
    if (holder === undefined) found.set(key, { bytes, count: 1 });
    else {
      holder.bytes += bytes;
      holder.count++;
    }
  });
  return [...found]
    .map(([key, { bytes, count }]) => ({
      stack: Math.floor(key / 16),
      kind: kindName(key % 16),
      bytes,
      count,
    }))
    .sort((one, other) => other.bytes - one.bytes);
}
