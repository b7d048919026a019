import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginReceipt, endReceipt, followJob, withLogs } from '../../../../shared/receipts/keeping';
import type { RankLog } from '../../../../shared/receipts/rankLog';
import { receiptDifference } from '../../../../shared/receipts/difference';
import { cards, GiB, job, MiB, plannedRank, savedPlan } from './builders';

const beginning = {
  source: 'job',
  jobId: '41822-7',
  simulated: false,
  driverVersion: '580.159.04',
  startedAt: 1000,
} as const;
const log: RankLog = { allocatedPeakBytes: null, reservedBytes: null, doneSteps: null, failed: false };
const at = (usedMiB: number) => job([{ pid: 5, rank: 0, cards: [[0, usedMiB]] }]);
const snapshot = { cards: cards(2) };

describe('a receipt', () => {
  it('begins with what was planned and nothing measured', () =>
    expect(beginReceipt(savedPlan(), beginning)).toMatchObject({
      id: '0123456789abcdef/41822-7',
      name: 'llama-2-13b',
      end: 'running',
      endedAt: null,
      ranks: [{ rank: 0, gpuIndex: null, planned: plannedRank, processBytes: null, steadyReadings: 0 }],
    }));

  it('keeps the most that each rank held, and counts the readings since it last rose', () => {
    const followed = [800, 19_000, 21_400, 20_900, 20_900].reduce(
      (receipt, used) => followJob(receipt, at(used), snapshot),
      beginReceipt(savedPlan(), beginning),
    );
    expect(followed.ranks[0]).toMatchObject({
      gpuIndex: 0,
      cardName: 'NVIDIA GeForce RTX 3090',
      processBytes: 21_400 * MiB,
      steadyReadings: 3,
    });
    expect(receiptDifference(followed)).toMatchObject({
      of: 'process',
      plannedBytes: 21.5 * GiB,
      measuredBytes: 21_400 * MiB,
    });
  });

  it('stays the same object once nothing changes any more', () => {
    let receipt = beginReceipt(savedPlan(), beginning);
    for (let reading = 0; reading < 100; reading += 1) receipt = followJob(receipt, at(20_000), snapshot);
    expect(followJob(receipt, at(20_000), snapshot)).toBe(receipt);
    expect(followJob(receipt, job([]), snapshot)).toBe(receipt);
    expect(withLogs(receipt, new Map())).toBe(receipt);
  });

  it('is about the allocator as soon as a log tells its peak', () => {
    const seen = followJob(beginReceipt(savedPlan(), beginning), at(22_000), snapshot);
    const told = withLogs(seen, new Map([[0, { ...log, allocatedPeakBytes: 20.24 * GiB }]]));
    expect(receiptDifference(told)).toMatchObject({ of: 'allocated', measuredBytes: 20.24 * GiB });
    expect(receiptDifference(told)?.share).toBeCloseTo(0.012, 6);
  });

  it('believes the logs about its end', () => {
    const receipt = beginReceipt(savedPlan(2), beginning);
    const endOf = (logs: readonly (readonly [number, Partial<RankLog>])[]) =>
      endReceipt(receipt, 'ended', new Map(logs.map(([rank, said]) => [rank, { ...log, ...said }])), 50).end;
    expect(endOf([])).toBe('ended');
    expect(
      endOf([
        [0, { doneSteps: 20 }],
        [1, { doneSteps: 20 }],
      ]),
    ).toBe('finished');
    expect(
      endOf([
        [0, { doneSteps: 20 }],
        [1, {}],
      ]),
    ).toBe('ended');
    expect(
      endOf([
        [0, { doneSteps: 20 }],
        [1, { failed: true }],
      ]),
    ).toBe('failed');
    expect(endReceipt(receipt, 'freed', new Map([[0, { ...log, failed: true }]]), 50)).toMatchObject({
      end: 'freed',
      endedAt: 50,
    });
  });

  it('never keeps less than it has seen, whatever the order of readings', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 24_000 }), { minLength: 1 }), (readings) => {
        const receipt = readings.reduce(
          (sofar, used) => followJob(sofar, at(used), snapshot),
          beginReceipt(savedPlan(), beginning),
        );
        expect(receipt.ranks[0]?.processBytes).toBe(Math.max(...readings) * MiB);
        const since = readings.length - readings.indexOf(Math.max(...readings));
        expect(receipt.ranks[0]?.steadyReadings).toBe(Math.min(60, since));
      }),
    );
  });
});
