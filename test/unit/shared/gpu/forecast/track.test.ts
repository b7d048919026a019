import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../../../shared/contract/snapshot';
import { seriesOf } from '../../../../../shared/gpu/forecast/series';
import { trackForecasts, trackKey, type ForecastMemory } from '../../../../../shared/gpu/forecast/track';
import { GiB, MiB } from '../../../../../shared/units';
import { card } from '../imbalance/builders';

function snapshot(time: number, held: Readonly<Record<number, number>>): Snapshot {
  const used = Object.values(held).reduce((sum, bytes) => sum + bytes, 0);
  return {
    time,
    cards: [card(0, used / GiB)],
    processes: Object.entries(held).map(([pid, usedBytes]) => ({ pid: Number(pid), gpuIndex: 0, usedBytes })),
  } as unknown as Snapshot;
}

function play(seconds: number, at: (t: number) => Snapshot) {
  let memory: ForecastMemory = new Map();
  let forecasts: ReturnType<typeof trackForecasts>['forecasts'] = [];
  for (let t = 0; t < seconds; t += 1) ({ memory, forecasts } = trackForecasts(memory, at(t)));
  return { memory, forecasts };
}

const samplesIn = (memory: ForecastMemory, pid: number) => {
  const tracked = memory.get(trackKey(pid, 0));
  return tracked === undefined ? null : seriesOf(tracked.past).time;
};

describe('forecasts of a Snapshot', () => {
  it('judges each process by itself: one grows beside one that is steady', () => {
    const leak = (t: number) => 2 * GiB + (t < 5 ? 0 : 2 * GiB + (t - 5) * 40 * MiB);
    const { forecasts } = play(100, (t) => snapshot(t, { 7: leak(t), 8: 6 * GiB }));
    const [growing, steady] = forecasts;
    expect(growing).toMatchObject({ pid: 7, gpuIndex: 0, state: 'growing' });
    expect(growing?.slopeBytesPerSecond).toBeCloseTo(40 * MiB, -4);
    // 24 GiB less 6 of the neighbour, 4 at the start and 94 s of growth.
    expect(growing?.etaSeconds).toBeCloseTo((14 * 1024 - 94 * 40) / 40, 0);
    expect(steady).toMatchObject({ pid: 8, state: 'steady', etaSeconds: null, willFill: false });
  });

  it('forgets a process that ended, so that a reused pid begins anew', () => {
    const { forecasts, memory } = play(60, (t) => snapshot(t, t === 58 ? {} : { 7: 4 * GiB + t * 50 * MiB }));
    expect(samplesIn(memory, 7)).toHaveLength(1);
    expect(forecasts[0]?.state).toBe('unknown');
  });

  it('keeps little of a level that stays', () =>
    expect(samplesIn(play(5000, (t) => snapshot(t, { 7: 4 * GiB })).memory, 7)).toHaveLength(2));

  it('with more restless processes than are judged at once, each has its turn within seconds', () => {
    const pids = Array.from({ length: 100 }, (_, index) => index + 1);
    const held = (pid: number, t: number) =>
      100 * MiB + (pid === 100 ? t * 2 * MiB : ((t * 37 + pid) % 40) * MiB);
    const at = (t: number) => snapshot(t, Object.fromEntries(pids.map((pid) => [pid, held(pid, t)])));
    const { forecasts, memory } = play(400, at);
    expect(forecasts).toHaveLength(100);
    const growing = forecasts.filter(({ state }) => state === 'growing');
    expect(growing.map(({ pid }) => pid)).toEqual([100]);
    expect((growing[0]?.slopeBytesPerSecond ?? 0) / MiB).toBeCloseTo(2, 1);
    const ages = [...memory.values()].map(({ judgedAt }) => 399 - judgedAt);
    expect(Math.max(...ages)).toBeLessThanOrEqual(5);
  });
});
