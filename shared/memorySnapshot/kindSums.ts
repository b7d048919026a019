import type { MemoryKind } from '../memory/tape/log';
import type { SnapshotHolder } from './holders';

/** Allocated bytes by what they are for. */
export type SnapshotBytesByKind = Readonly<Record<MemoryKind | 'unknown', number>>;

export function sumByKind(holders: readonly SnapshotHolder[]): SnapshotBytesByKind {
  const sums: Record<MemoryKind | 'unknown', number> = {
    parameters: 0,
    gradients: 0,
    optimizer: 0,
    activations: 0,
    logits: 0,
    buffers: 0,
    workspace: 0,
    unknown: 0,
  };
  for (const { bytes, kind } of holders) sums[kind ?? 'unknown'] += bytes;
  return sums;
}
