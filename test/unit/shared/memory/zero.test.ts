import { describe, expect, test } from 'vitest';
import { playZeroRow, type ZeroRow } from '../../../accuracy/libraries';

const gpt2 = { group: 'zero', model: 'gpt2', precision: 'bf16', batch: 2, seq: 1024, ckpt: true } as const;

/** Bytes that DeepSpeed 0.19.8 really took on an H200, as rank 0. */
const measured: readonly (readonly [string, ZeroRow])[] = [
  [
    'stage 1 keeps its buckets through the next forward until the last micro-batch',
    { ...gpt2, stage: 1, world: 2, accum: 2, peak_alloc: 4_601_443_840, reserved: 5_591_007_232 },
  ],
  [
    'stage 2 on four processes',
    { ...gpt2, stage: 2, world: 4, clip: true, peak_alloc: 2_942_350_848, reserved: 4_227_858_432 },
  ],
  [
    'buckets of 5e7 elements',
    { ...gpt2, stage: 2, world: 2, bucket: 5e7, peak_alloc: 2_346_861_056, reserved: 3_539_992_576 },
  ],
  [
    'stage 2 with the optimizer on the host',
    { ...gpt2, stage: 2, world: 2, offload: 'optimizer', peak_alloc: 2_705_868_288, reserved: 4_492_099_584 },
  ],
  [
    'stage 3 gathers the whole of a small model ahead',
    { ...gpt2, stage: 3, world: 2, clip: true, peak_alloc: 3_596_456_960, reserved: 4_542_431_232 },
  ],
  [
    'stage 3 with everything on the host',
    { ...gpt2, stage: 3, world: 2, offload: 'all', peak_alloc: 2_601_434_624, reserved: 3_877_634_048 },
  ],
];

describe("DeepSpeed's ZeRO", () => {
  test.each(measured)('%s', (_, row) => {
    const { allocatedPeakBytes, reservedPeakBytes } = playZeroRow(row);
    expect(Math.abs(allocatedPeakBytes / row.peak_alloc - 1)).toBeLessThan(0.0005);
    expect(Math.abs(reservedPeakBytes / row.reserved - 1)).toBeLessThan(row.stage === 3 ? 0.1 : 0.0005);
  });
});
