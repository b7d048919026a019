import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../../../shared/alerts/snapshot';
import { seriesOf } from '../../../../../shared/gpu/forecast/series';
import { trackForecasts, type ForecastMemory } from '../../../../../shared/gpu/forecast/track';
import { GiB, MiB } from '../../../../../shared/units';
import { card } from '../../snapshot/imbalance/builders';

function snapshot(time: number, held: Readonly<Record<number, number>>): Snapshot {
  const used = Object.values(held).reduce((sum, bytes) => sum + bytes, 0);
  return {
    time,
    cards: [card(0, used / GiB)],
    processes: Object.entries(held).map(([pid, usedBytes]) => ({ pid: Number(pid), gpuIndex: 0, usedBytes })),
  } as unknown as Snapshot;
}

/** The same with the card busy for so many percent of the time. */
function busy(seen: Snapshot, utilizationPercent: number | null): Snapshot {
  return { ...seen, cards: seen.cards.map((one) => ({ ...one, utilizationPercent })) };
}

function play(seconds: number, at: (t: number) => Snapshot) {
  let memory: ForecastMemory = new Map();
  let forecasts: ReturnType<typeof trackForecasts>['forecasts'] = [];
  for (let t = 0; t < seconds; t += 1) ({ memory, forecasts } = trackForecasts(memory, at(t)));
  return { memory, forecasts };
}

const samplesIn = (memory: ForecastMemory, pid: number) => {
  const tracked = memory.get(0)?.holders.get(pid);
  return tracked === undefined ? null : seriesOf(tracked.past).time;
};

describe('forecasts of a Snapshot', () => {
  it('judges each process by itself: one grows beside one that is steady', () => {
    const leak = (t: number) => 2 * GiB + (t < 5 ? 0 : 2 * GiB + (t - 5) * 40 * MiB);
    const { forecasts } = play(100, (t) => snapshot(t, { 7: leak(t), 8: 6 * GiB }));
    const [growing, steady, card] = forecasts;
    expect(growing).toMatchObject({ pid: 7, gpuIndex: 0, state: 'growing' });
    expect(growing?.slopeBytesPerSecond).toBeCloseTo(40 * MiB, -4);
    // 24 GiB less 6 of the neighbour, 4 at the start and 94 s of growth.
    expect(growing?.etaSeconds).toBeCloseTo((14 * 1024 - 94 * 40) / 40, 0);
    expect(steady).toMatchObject({ pid: 8, state: 'steady', etaSeconds: null, willFill: false });
    expect(card).toMatchObject({
      pid: null,
      state: 'growing',
      growingPids: [7],
      etaSeconds: growing?.etaSeconds,
    });
  });

  it('adds up what grows on one card: two leaks have half the time of one', () => {
    // 24 GiB, 4 and 50 MiB a second each: full after 163.8 s, and after 99 s 64.8 s are left.
    const leak = (t: number) => 4 * GiB + t * 50 * MiB;
    const { forecasts, memory } = play(100, (t) => busy(snapshot(t, { 7: leak(t), 8: leak(t) }), 95));
    expect(forecasts.map(({ pid, etaSeconds }) => [pid, Math.round(etaSeconds ?? 0)])).toEqual([
      [7, 65],
      [8, 65],
      [null, 65],
    ]);
    expect(forecasts[2]).toMatchObject({ growingPids: [7, 8], willFill: true });
    // 91 s are left after 73 s, 1.5 times the stretch of 61 s that was even; two more looks make sure.
    expect(memory.get(0)?.announcement.standing).toMatchObject({ at: 75, number: 1, pids: [7, 8] });
  });

  it('foretells a card whose memory no listed process holds', () => {
    const at = (t: number): Snapshot => ({
      ...busy(snapshot(t, {}), 95),
      cards: busy({ ...snapshot(t, {}), cards: [card(0, 4 + t * 0.1)] }, 95).cards,
    });
    const { forecasts } = play(100, at);
    expect(forecasts).toHaveLength(1);
    expect(forecasts[0]).toMatchObject({ pid: null, state: 'growing', growingPids: [], willFill: true });
    // 20 GiB at 0.1 a second less 99 s.
    expect(forecasts[0]?.etaSeconds).toBeCloseTo(101, 0);
  });

  it('lets a neighbour that leaks be, while a load comes beside it', () => {
    // The leak of 20 MiB a second fills 24 GiB less 4 and the load's 8 after 614 s; the load is over after 80 s.
    const held = (t: number) => ({ 7: 4 * GiB + t * 20 * MiB, 8: 0.5 * GiB + Math.min(75, t) * 0.1 * GiB });
    const { forecasts } = play(70, (t) => busy(snapshot(t, held(t)), 3));
    const seen = forecasts.filter(({ pid }) => pid !== null).map(({ mayBeLoading }) => mayBeLoading);
    expect(seen).toEqual([true, true]);
    expect(forecasts.every(({ willFill }) => !willFill)).toBe(true);
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
    expect(forecasts).toHaveLength(101);
    const growing = forecasts.filter(({ state }) => state === 'growing');
    expect(growing.map(({ pid }) => pid)).toEqual([100, null]);
    expect((growing[0]?.slopeBytesPerSecond ?? 0) / MiB).toBeCloseTo(2, 1);
    const ages = [...(memory.get(0)?.holders.values() ?? [])].map(({ judgedAt }) => 399 - judgedAt);
    expect(Math.max(...ages)).toBeLessThanOrEqual(5);
  });
});

describe('a rise that may be weights on their way to the card', () => {
  /** One process on a card of 24 GiB, which is busy for it as given; when it was warned of, and the newest forecast. */
  function watch(
    seconds: number,
    gibAt: (t: number) => number,
    percentAt: (t: number) => number | null,
    neighbourGiB = 0,
  ) {
    let memory: ForecastMemory = new Map();
    let warnedAt: number | null = null;
    let newest: ReturnType<typeof trackForecasts>['forecasts'][number] | undefined;
    for (let t = 0; t < seconds; t += 1) {
      const held = { 7: gibAt(t) * GiB, ...(neighbourGiB > 0 ? { 8: neighbourGiB * GiB } : {}) };
      const tracked = trackForecasts(memory, busy(snapshot(t, held), percentAt(t)));
      ({ memory } = tracked);
      newest = tracked.forecasts.find(({ pid }) => pid === 7);
      if (newest?.willFill === true) warnedAt ??= t;
    }
    return { warnedAt, newest };
  }
  /** From the bare context on, 0.1 GiB a second: 24 GiB are full after 235 s. */
  const load = (t: number): number => 0.5 + 0.1 * t;

  it('is not warned of while the card does not compute: that is what loading looks like', () => {
    const { warnedAt, newest } = watch(230, load, () => 3);
    expect(warnedAt).toBeNull();
    expect(newest).toMatchObject({ state: 'growing', mayBeLoading: true, willFill: false });
    expect(newest?.etaSeconds).toBeCloseTo((24 - load(229)) / 0.1, 0);
  });

  it('is a leak where the card computes, and is warned of as soon as the rise tells its end', () => {
    // At 94 s the 141 s that are left are 1.5 times what was seen; from 115 s on two minutes are left.
    const { warnedAt, newest } = watch(130, load, () => 97);
    expect(warnedAt).toBeGreaterThanOrEqual(113);
    expect(warnedAt).toBeLessThanOrEqual(117);
    expect(newest?.mayBeLoading).toBe(false);
  });

  it('waits for the last moment where nobody knows whether the card computes', () => {
    // Half a minute, the delay of the alert and a look at each end of it: 34 s before 235.
    const { warnedAt } = watch(234, load, () => null);
    expect(warnedAt).toBeGreaterThanOrEqual(200);
    expect(warnedAt).toBeLessThanOrEqual(202);
  });

  it('nor is it known on a card that another process computes on', () => {
    // The neighbour's gigabyte makes it ten seconds less.
    const { warnedAt } = watch(224, load, () => 97, 1);
    expect(warnedAt).toBeGreaterThanOrEqual(190);
    expect(warnedAt).toBeLessThanOrEqual(192);
  });

  it('counts what the card does now: a leak of the training after a long load is one', () => {
    const trainedAt = 300;
    // 15 GiB load for 300 s; then training leaks as fast as it loaded: 24 GiB are full after 470 s,
    // and two minutes before that is said.
    const level = (t: number) => 0.5 + 0.05 * t;
    const { warnedAt } = watch(465, level, (t) => (t < trainedAt ? 2 : 95));
    expect(warnedAt).toBeGreaterThanOrEqual(348);
    expect(warnedAt).toBeLessThanOrEqual(352);
    // And the other way round: who stops computing and loads something is not called a leak for that.
    expect(watch(230, load, (t) => (t < 30 ? 97 : 2)).warnedAt).toBeNull();
  });
});
