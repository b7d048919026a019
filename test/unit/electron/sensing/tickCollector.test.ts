import { afterEach, describe, expect, it, vi } from 'vitest';
import { TickCollector, timestampMs } from '../../../../electron/sensing/tickCollector';

describe('rounds of rows', () => {
  const collect = () => {
    const ticks: (readonly number[])[] = [];
    vi.useFakeTimers();
    const collector = new TickCollector<number>(
      { wholeCount: () => 3, beginsNext: (row, rows) => rows.includes(row), quietMs: 60 },
      (rows) => ticks.push(rows),
    );
    return { collector, ticks };
  };
  afterEach(() => void vi.useRealTimers());

  it('end when they are whole', () => {
    const { collector, ticks } = collect();
    for (const row of [0, 1, 2, 0, 1, 2]) collector.add(row);
    expect(ticks).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ]);
  });
  it('end when a row comes for the second time', () => {
    const { collector, ticks } = collect();
    for (const row of [0, 1, 0]) collector.add(row);
    expect(ticks).toEqual([[0, 1]]);
  });
  it('end when nothing follows', () => {
    const { collector, ticks } = collect();
    collector.add(0);
    vi.advanceTimersByTime(59);
    expect(ticks).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ticks).toEqual([[0]]);
  });
  it('are forgotten when cleared', () => {
    const { collector, ticks } = collect();
    collector.add(0);
    collector.clear();
    vi.advanceTimersByTime(1000);
    expect(ticks).toEqual([]);
  });

  it('timestamps can be compared', () => {
    const at = (stamp: string) => timestampMs(stamp) ?? NaN;
    expect(at('2026/11/29 14:38:03.133') - at('2026/11/29 14:38:02.129')).toBe(1004);
    expect(at('2026/12/01 00:00:00.000') - at('2026/11/30 23:59:59.9')).toBe(100);
    expect([timestampMs('yesterday'), timestampMs(null), timestampMs('2026/11/29')]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
