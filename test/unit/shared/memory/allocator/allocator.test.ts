import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CachingAllocator,
  roundedBytes,
  segmentBytes,
} from '../../../../../shared/memory/allocator/allocator';
import { noBlock } from '../../../../../shared/memory/allocator/blocks';

const MIB = 2 ** 20;

const native = (limitBytes: number | null = null): CachingAllocator =>
  new CachingAllocator({ expandableSegments: false, limitBytes, addressOrder: 'falling' });

const expandable = (limitBytes: number | null = null): CachingAllocator =>
  new CachingAllocator({ expandableSegments: true, limitBytes, addressOrder: 'falling' });

describe('sizes', () => {
  test.each([
    [0, 512],
    [1, 512],
    [512, 512],
    [513, 1024],
    [MIB, MIB],
  ])('%i bytes are rounded to %i', (bytes, rounded) => expect(roundedBytes(bytes)).toBe(rounded));

  test.each([
    [512, 2 * MIB],
    [MIB, 2 * MIB],
    [MIB + 512, 20 * MIB],
    [10 * MIB - 512, 20 * MIB],
    [10 * MIB, 10 * MIB],
    [11 * MIB, 12 * MIB],
  ])('%i bytes take a segment of %i', (bytes, segment) => expect(segmentBytes(bytes)).toBe(segment));
});

describe('native segments', () => {
  test('small requests share a segment of 2 MiB', () => {
    const allocator = native();
    for (let count = 0; count < 2048; count++) allocator.allocate(1024, 0);
    expect(allocator.reservedBytes).toBe(2 * MIB);
    expect(allocator.allocatedBytes).toBe(2 * MIB);
    allocator.allocate(1, 0);
    expect(allocator.reservedBytes).toBe(4 * MIB);
  });

  test('a large block keeps a rest of up to 1 MiB, and it counts as allocated', () => {
    const allocator = native();
    allocator.allocate(11 * MIB + 512, 0);
    expect(allocator.reservedBytes).toBe(12 * MIB);
    expect(allocator.allocatedBytes).toBe(12 * MIB);
  });

  test('a large block is split when more than 1 MiB remains', () => {
    const allocator = native();
    allocator.allocate(2 * MIB, 0);
    expect(allocator.reservedBytes).toBe(20 * MIB);
    expect(allocator.allocatedBytes).toBe(2 * MIB);
    allocator.allocate(18 * MIB - 512, 0);
    expect(allocator.reservedBytes).toBe(20 * MIB);
  });

  test('the smallest block that fits serves', () => {
    const allocator = native();
    const wide = allocator.allocate(40 * MIB, 0);
    const narrow = allocator.allocate(30 * MIB, 0);
    allocator.free(wide);
    allocator.free(narrow);
    expect(allocator.allocate(29 * MIB, 0)).toBe(narrow);
  });

  test('streams do not share blocks', () => {
    const allocator = native();
    allocator.free(allocator.allocate(30 * MIB, 0));
    allocator.allocate(30 * MIB, 1);
    expect(allocator.reservedBytes).toBe(60 * MIB);
  });

  test('an emptied cache keeps only segments in use', () => {
    const allocator = native();
    const kept = allocator.allocate(5 * MIB, 0);
    allocator.free(allocator.allocate(50 * MIB, 0));
    allocator.emptyCache();
    expect(allocator.reservedBytes).toBe(20 * MIB);
    allocator.free(kept);
    allocator.emptyCache();
    expect(allocator.reservedBytes).toBe(0);
  });

  test('a limit empties the cache first and refuses then', () => {
    const allocator = native(100 * MIB);
    allocator.free(allocator.allocate(60 * MIB, 0));
    expect(allocator.allocate(80 * MIB, 0)).not.toBe(noBlock);
    expect(allocator.reservedBytes).toBe(80 * MIB);
    expect(allocator.allocate(30 * MIB, 0)).toBe(noBlock);
  });
});

describe('expandable segments', () => {
  test('memory is mapped in pieces of 20 MiB and merges with what is free before it', () => {
    const allocator = expandable();
    const first = allocator.allocate(30 * MIB, 0);
    expect(allocator.reservedBytes).toBe(40 * MIB);
    allocator.free(first);
    allocator.allocate(50 * MIB, 0);
    expect(allocator.reservedBytes).toBe(60 * MIB);
    expect(allocator.allocatedBytes).toBe(50 * MIB);
  });

  test('an emptied cache unmaps whole pieces in the middle too, and they are mapped again', () => {
    const allocator = expandable();
    allocator.allocate(10 * MIB, 0);
    const middle = allocator.allocate(50 * MIB, 0);
    allocator.allocate(10 * MIB, 0);
    allocator.free(middle);
    expect(allocator.reservedBytes).toBe(80 * MIB);
    allocator.emptyCache();
    expect(allocator.reservedBytes).toBe(40 * MIB);
    allocator.allocate(50 * MIB, 0);
    expect(allocator.reservedBytes).toBe(80 * MIB);
  });
});

const program = fc.array(
  fc.record({
    bytes: fc.oneof(fc.integer({ min: 1, max: 2 * MIB }), fc.integer({ min: 1, max: 64 * MIB })),
    stream: fc.integer({ min: 0, max: 1 }),
    /** Which of the live blocks to free before, as a share; null: none. */
    freed: fc.option(fc.double({ min: 0, max: 0.999, noNaN: true })),
    empties: fc.boolean(),
  }),
  { maxLength: 120 },
);

describe.each([
  ['native', native],
  ['expandable', expandable],
])('any program on %s segments', (_name, make) => {
  test('counts what is given out, never gives one place twice, and ends empty', () => {
    fc.assert(
      fc.property(program, (steps) => {
        const allocator = make();
        const live: { block: number; size: number }[] = [];
        for (const { bytes, stream, freed, empties } of steps) {
          const index = freed === null ? -1 : Math.floor(freed * live.length);
          const [gone] = index < 0 ? [] : live.splice(index, 1);
          if (gone !== undefined) allocator.free(gone.block);
          if (empties) allocator.emptyCache();
          const block = allocator.allocate(bytes, stream);
          expect(live.some((other) => other.block === block)).toBe(false);
          const size = allocator.blockBytes(block);
          expect(size).toBeGreaterThanOrEqual(roundedBytes(bytes));
          live.push({ block, size });
          const places = live
            .map((entry) => ({ start: allocator.blockAddress(entry.block), size: entry.size }))
            .sort((a, b) => a.start - b.start);
          places.forEach((place, position) => {
            const next = places[position + 1];
            if (next !== undefined) expect(place.start + place.size).toBeLessThanOrEqual(next.start);
          });
          expect(allocator.allocatedBytes).toBe(live.reduce((sum, entry) => sum + entry.size, 0));
          expect(allocator.reservedBytes).toBeGreaterThanOrEqual(allocator.allocatedBytes);
          expect(allocator.allocatedPeakBytes).toBeGreaterThanOrEqual(allocator.allocatedBytes);
        }
        for (const { block } of live) allocator.free(block);
        allocator.emptyCache();
        expect(allocator.allocatedBytes).toBe(0);
        expect(allocator.reservedBytes).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  test('takes no block back that it has not given out, and is as it was', () => {
    fc.assert(
      fc.property(program, fc.integer({ min: -2, max: 400 }), (steps, stranger) => {
        const allocator = make();
        const live = new Set<number>();
        for (const { bytes, stream, freed, empties } of steps) {
          const gone = freed === null ? undefined : [...live][Math.floor(freed * live.size)];
          if (gone !== undefined) {
            allocator.free(gone);
            live.delete(gone);
            const before = [allocator.allocatedBytes, ...allocator.freeLayout()];
            expect(() => allocator.free(gone)).toThrow(`Block ${gone} is not given out.`);
            expect([allocator.allocatedBytes, ...allocator.freeLayout()]).toEqual(before);
          }
          if (empties) allocator.emptyCache();
          live.add(allocator.allocate(bytes, stream));
        }
        if (!live.has(stranger)) expect(() => allocator.free(stranger)).toThrow();
        else expect(() => allocator.free(stranger)).not.toThrow();
      }),
      { numRuns: 60 },
    );
  });

  test('takes nothing back for a request that met the limit', () => {
    const allocator = make();
    allocator.allocate(MIB, 0);
    allocator.setLimit(0);
    const refused = allocator.allocate(64 * MIB, 0);
    expect(refused).toBe(noBlock);
    expect(() => allocator.free(refused)).toThrow('Block -1 is not given out.');
    expect(allocator.allocatedBytes).toBe(MIB);
  });
});
