import { describe, expect, test } from 'vitest';
import {
  SnapshotAnalysis,
  type DeviceReport,
  type SnapshotReport,
} from '../../../../shared/memorySnapshot/report';
import { readSnapshot, realNames, snapshotBytes, truthOf, type RealName } from './support';

/** Snapshots that PyTorch 2.11 recorded on a card, and what it said itself: test/ground-truth/recordMemorySnapshots.py. */
const reports = new Map<RealName, SnapshotReport>();
function reportOf(name: RealName): SnapshotReport {
  const known =
    reports.get(name) ?? new SnapshotAnalysis(readSnapshot(snapshotBytes(name), 1 << 16)).report();
  reports.set(name, known);
  return known;
}
function deviceOf(name: RealName): DeviceReport {
  const [device] = reportOf(name).devices;
  if (device === undefined) throw new Error(`no device in ${name}`);
  return device;
}

describe.each(realNames)('%s', (name) => {
  const truth = truthOf(name);

  test('the peak of every step is PyTorch’s own, to the byte', () => {
    const steps = deviceOf(name).steps ?? [];
    expect(steps.slice(0, truth.peaks.length).map(({ peakBytes }) => peakBytes)).toEqual(truth.peaks);
    if (name !== 'oom') expect(deviceOf(name).peak.allocatedBytes).toBe(Math.max(...truth.peaks));
  });

  test('so is what was allocated and reserved at the end', () => {
    const { end, timeline } = deviceOf(name);
    expect([end.allocatedBytes, end.reservedBytes]).toEqual([truth.allocated_end, truth.reserved_end]);
    expect(timeline.at(-1)?.[1]).toBe(truth.allocated_end);
    expect(reportOf(name)).toMatchObject({ truncated: false });
    expect(reportOf(name).problems.map(({ code }) => code)).toEqual(
      name === 'no-context' ? ['no-stacks'] : [],
    );
  });

  test('the course holds the peak, and what it was for adds up', () => {
    const { peak, timeline } = deviceOf(name);
    expect(Math.max(...timeline.map(([, bytes]) => bytes))).toBe(peak.allocatedBytes);
    expect(Object.values(peak.byKind).reduce((sum, bytes) => sum + bytes, 0)).toBe(peak.allocatedBytes);
    expect(peak.byStack.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(peak.allocatedBytes);
  });
});

test('parameters and optimizer state are those of the model, with and without stacks', () => {
  // 50,257 x 768 + 1,024 x 768 embeddings and four blocks of 7,087,872 parameters, in fp32; AdamW keeps two of each.
  const weights = 4 * (50_257 * 768 + 1_024 * 768 + 4 * 7_087_872 + 2 * 768);
  for (const name of ['plain', 'stacks-python', 'no-context'] as const) {
    const { byKind } = deviceOf(name).peak;
    expect(byKind.parameters).toBeGreaterThanOrEqual(weights);
    // Blocks may be up to 1 MiB larger than what was asked for.
    expect(byKind.parameters).toBeLessThan(1.01 * weights);
    expect(byKind.optimizer / byKind.parameters).toBeCloseTo(2, 1);
    // cuBLAS of the forward thread and of the backward thread, and cuBLASLt.
    expect(byKind.workspace).toBe((32 + 32 + 1) * 2 ** 20);
  }
});

test('gradients are those parts of backward that the optimizer finds', () => {
  const analysis = new SnapshotAnalysis(readSnapshot(snapshotBytes('plain')));
  const [device] = analysis.devices;
  const before = device?.marks.optimizer[3]?.from ?? 0;
  const held = device === undefined ? [] : analysis.stacksAt(device, before);
  const gradients = held
    .filter(({ what }) => what === 'gradients')
    .reduce((sum, { bytes }) => sum + bytes, 0);
  expect(gradients / deviceOf('plain').peak.byKind.parameters).toBeCloseTo(1, 1);
});

test('the phases of a step follow one another', () => {
  for (const name of ['plain', 'stacks-python'] as const)
    expect(deviceOf(name).steps?.[2]?.phases).toEqual([
      { phase: 'forward', peakBytes: 2_611_235_840, endBytes: 1_987_313_664 },
      { phase: 'backward', peakBytes: 2_810_707_968, endBytes: 1_155_122_688 },
      { phase: 'optimizer', peakBytes: 1_427_773_952, endBytes: 1_155_122_688 },
      { phase: 'zero_grad', peakBytes: 1_155_122_688, endBytes: 882_602_496 },
    ]);
});

test('the leak of the losses is named by its line; the clean ones have none', () => {
  const growth = deviceOf('leak-losses').growth;
  expect(growth?.lines[0]?.line).toBe('/home/user/example/snapshots.py:36:case');
  expect(growth?.meaning.key).toBe('memorySnapshot.growthOfGraphs');
  // What each step leaves behind, by PyTorch's own peaks.
  const { peaks } = truthOf('leak-losses');
  const perStep = ((peaks[11] ?? 0) - (peaks[1] ?? 0)) / 10;
  expect((growth?.bytesPerStep ?? 0) / perStep).toBeCloseTo(1, 2);
  expect(growth?.stacks[0]).toMatchObject({
    what: 'logits',
    line: '/home/user/example/snapshots.py:36:case',
  });
  for (const name of realNames) if (name !== 'leak-losses') expect(deviceOf(name).growth).toBeNull();
});

test('the failure tells what was asked for, where, and what held the rest', () => {
  // "Tried to allocate 982.00 MiB … 2.73 GiB is allocated by PyTorch, and 140.75 MiB is reserved by PyTorch but unallocated"
  const { oom } = deviceOf('oom');
  expect(oom).toMatchObject({
    triedBytes: 982 * 2 ** 20,
    requestedBytes: 1_029_263_360,
    allocatedBytes: 2_931_036_672,
    freeBytes: 139_892_555_776,
    line: '/home/user/example/snapshots.py:36:case',
  });
  expect((oom?.unallocatedBytes ?? 0) / 2 ** 20).toBeCloseTo(140.75, 2);
  expect(oom?.frames[0]).toMatch(/loss_utils\.py:\d+:ForCausalLMLoss$/);
  expect(oom?.byStack[0]?.bytes).toBeGreaterThan(500 * 2 ** 20);
});

test('fragmentation is what is free in segments that something uses', () => {
  expect(deviceOf('plain').fragmentation).toMatchObject({
    unusableBytes: 637_832_704,
    largestFreeBytes: 413_138_944,
    releasableBytes: 1_790_967_808,
  });
  expect(deviceOf('expandable-ragged').fragmentation.unusableBytes).toBe(0);
});
