import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replayDevice } from '../../../../shared/memorySnapshot/replay';
import { SnapshotAnalysis } from '../../../../shared/memorySnapshot/report';
import type { DeviceTrace, SnapshotFile } from '../../../../shared/memorySnapshot/snapshotFile';
import { MiB } from '../../../../shared/units';
import { readSnapshot, snapshotBytes, type RealName } from './support';

/** The file as a ring buffer of fewer entries would have left it. */
function cutAt(file: SnapshotFile, from: number): SnapshotFile {
  const cut = (trace: DeviceTrace): DeviceTrace => ({
    count: trace.count - from,
    action: trace.action.subarray(from),
    address: trace.address.subarray(from),
    size: trace.size.subarray(from),
    timeUs: trace.timeUs.subarray(from),
    stack: trace.stack.subarray(from),
  });
  return { ...file, traces: file.traces.map((trace, device) => (device === 0 ? cut(trace) : trace)) };
}

describe('a history that was cut', () => {
  const files = new Map<RealName, SnapshotFile>(
    (['plain', 'expandable-ragged', 'leak-losses', 'oom'] as const).map((name) => [
      name,
      readSnapshot(snapshotBytes(name)),
    ]),
  );

  test('the state before it is found from the end: all that follows is as if nothing were missing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...files.values()),
        fc.double({ min: 0.001, max: 0.999, noNaN: true }),
        (file, share) => {
          const whole = replayDevice(file, 0);
          const from = Math.floor(share * whole.trace.count);
          const cut = replayDevice(cutAt(file, from), 0);
          expect(cut.reservedBytes).toEqual(whole.reservedBytes.slice(from));
          const differences = Array.from(cut.allocatedBytes, (bytes, event) =>
            Math.abs(bytes - (whole.allocatedBytes[from + event] ?? 0)),
          );
          // A block from before may be up to 1 MiB larger than its request where nothing that follows shows it.
          expect(Math.max(...differences)).toBeLessThan(MiB);
          expect(differences.at(-1)).toBe(0);
        },
      ),
      { numRuns: 12 },
    );
  });

  test('is said, with what was there before', () => {
    const file = files.get('plain');
    if (file === undefined) throw new Error('no file');
    const report = new SnapshotAnalysis(cutAt(file, 6_000)).report();
    expect(report.truncated).toBe(true);
    expect(report.problems.map(({ code }) => code)).toEqual(['history-cut']);
    expect(report.devices[0]?.peak.allocatedBytes).toBe(2_810_707_968);
    // What survives names its stack, though the entry that made it is gone.
    expect(
      report.devices[0]?.peak.byStack.some(({ frames, what }) => what === 'parameters' && frames.length > 0),
    ).toBe(true);
  });
});

describe('blocks', () => {
  const frames: SnapshotFile['stacks'] = readSnapshot(snapshotBytes('no-context')).stacks;
  type Entry = readonly [action: number, address: number, size: number];

  function fileOf(entries: readonly Entry[], settings: Partial<SnapshotFile['settings']> = {}): SnapshotFile {
    return {
      traces: [
        {
          count: entries.length,
          action: Uint8Array.from(entries, ([action]) => action),
          address: Float64Array.from(entries, ([, address]) => address),
          size: Float64Array.from(entries, ([, , size]) => size),
          timeUs: Float64Array.from(entries, (_, index) => index),
          stack: new Int32Array(entries.length),
        },
      ],
      segments: [],
      annotations: [],
      settings: { maxSplitBytes: -1, expandableSegments: false, roundupDivisions: new Map(), ...settings },
      stacks: frames,
      keys: [],
      heldBytes: 0,
    };
  }
  const [alloc, freeRequested, freeCompleted, segmentAlloc, , segmentMap] = [0, 1, 2, 3, 4, 5];
  const allocatedAfter = (file: SnapshotFile): readonly number[] => [...replayDevice(file, 0).allocatedBytes];

  test('requests are rounded to 512 bytes', () => {
    expect(
      allocatedAfter(
        fileOf([
          [segmentAlloc, 0, 2 * MiB],
          [alloc, 0, 1],
          [alloc, 512, 513],
        ]),
      ),
    ).toEqual([0, 512, 512 + 1024]);
  });

  test('a large block takes a rest of up to 1 MiB with it, and leaves a larger one', () => {
    expect(
      allocatedAfter(
        fileOf([
          [segmentAlloc, 0, 20 * MiB],
          [alloc, 0, 19 * MiB],
        ]),
      ),
    ).toEqual([0, 20 * MiB]);
    expect(
      allocatedAfter(
        fileOf([
          [segmentAlloc, 0, 20 * MiB],
          [alloc, 0, 19 * MiB - 512],
        ]),
      ),
    ).toEqual([0, 19 * MiB - 512]);
  });

  test('a block between two others takes what lies between', () => {
    const entries: Entry[] = [
      [segmentAlloc, 0, 40 * MiB],
      [alloc, 0, 10 * MiB],
      [alloc, 10 * MiB, 10 * MiB],
      [freeRequested, 0, 10 * MiB],
      [freeCompleted, 0, 10 * MiB],
      [alloc, 0, 9.5 * MiB],
    ];
    expect(allocatedAfter(fileOf(entries)).at(-1)).toBe(20 * MiB);
  });

  test('memory counts as allocated until its free is asked for, and its place is taken until that is done', () => {
    const entries: Entry[] = [
      [segmentAlloc, 0, 20 * MiB],
      [alloc, 0, 5 * MiB],
      [alloc, 5 * MiB, 5 * MiB],
      [freeRequested, 5 * MiB, 5 * MiB],
      [freeRequested, 0, 5 * MiB],
      [freeCompleted, 0, 5 * MiB],
      [alloc, 0, 4.5 * MiB],
    ];
    expect(allocatedAfter(fileOf(entries)).map((bytes) => bytes / MiB)).toEqual([0, 5, 10, 5, 0, 0, 5]);
  });

  test('expandable segments split to the byte', () => {
    expect(
      allocatedAfter(
        fileOf([
          [segmentMap, 0, 20 * MiB],
          [alloc, 0, 19.5 * MiB],
        ]),
      ),
    ).toEqual([0, 19.5 * MiB]);
  });

  test('max_split_size leaves large blocks whole; roundup_power2_divisions rounds up', () => {
    const whole = fileOf(
      [
        [segmentAlloc, 0, 400 * MiB],
        [alloc, 0, 300 * MiB],
      ],
      { maxSplitBytes: 200 * MiB },
    );
    expect(allocatedAfter(whole)[1]).toBe(400 * MiB);
    const rounded = fileOf(
      [
        [segmentAlloc, 0, 40 * MiB],
        [alloc, 0, 1200 * 1024],
      ],
      {
        roundupDivisions: new Map([
          [1, 4],
          [2, 4],
        ]),
      },
    );
    expect(allocatedAfter(rounded)[1]).toBe(1280 * 1024);
  });

  test('what is freed without having been allocated was there before', () => {
    const history = replayDevice(
      fileOf([
        [alloc, 4096, 512],
        [freeRequested, 0, 512],
        [freeCompleted, 0, 512],
      ]),
      0,
    );
    expect([history.startAllocatedBytes, ...history.allocatedBytes]).toEqual([512, 1024, 512, 512]);
  });
});
