import type { MemorySample } from './series';

export interface Recording {
  readonly capacityBytes: number;
  readonly samples: readonly MemorySample[];
}

/**
 * A recorded series from parsed JSON, `{ capacity_bytes, samples: [[t, bytes], ..] }` (seconds, ascending). Returns the
 * name of the part that is missing or wrong instead where it is no such series.
 */
export function readRecording(value: unknown): Recording | { readonly wrong: string } {
  if (typeof value !== 'object' || value === null) return { wrong: '{ capacity_bytes, samples }' };
  const capacityBytes = 'capacity_bytes' in value ? value.capacity_bytes : null;
  if (!isSize(capacityBytes) || capacityBytes === 0) return { wrong: 'capacity_bytes' };
  const rows = 'samples' in value ? value.samples : null;
  if (!Array.isArray(rows)) return { wrong: 'samples' };
  const samples: MemorySample[] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (const [index, row] of rows.entries()) {
    const wrong = { wrong: `samples[${index}]` };
    if (!Array.isArray(row)) return wrong;
    const [t, bytes] = row as readonly unknown[];
    if (typeof t !== 'number' || !Number.isFinite(t) || t < before || !isSize(bytes)) return wrong;
    samples.push({ t, bytes });
    before = t;
  }
  return { capacityBytes, samples };
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
