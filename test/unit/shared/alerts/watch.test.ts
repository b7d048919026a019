import { describe, expect, it } from 'vitest';
import {
  noAlerts,
  snooze,
  watchAlerts,
  type AlertMemory,
  type AlertSettings,
} from '../../../../shared/alerts/watch';
import { defaultSettings } from '../../../../shared/contract/defaultSettings';
import type { Card } from '../../../../shared/gpu/types';
import type { Snapshot } from '../../../../shared/alerts/snapshot';
import { replay } from '../../../../shared/gpu/forecast/replay';
import { trackForecasts, type ForecastMemory } from '../../../../shared/gpu/forecast/track';
import { translate } from '../../../../shared/i18n/translate';
import type { Job } from '../../../../shared/jobs/types';
import { GiB } from '../../../../shared/units';
import { card, job, member } from '../snapshot/imbalance/builders';

const settings: AlertSettings = { ...defaultSettings, mutedCards: [] };

function snapshot(time: number, cards: readonly Card[], more: Partial<Snapshot> = {}): Snapshot {
  return {
    time,
    cardsReadAt: time,
    intervalSeconds: 1,
    source: { kind: 'machine', sceneId: null },
    driverVersion: '580.159',
    cudaVersion: '13.0',
    cards,
    processes: [],
    jobs: [],
    host: {
      hostname: 'rig',
      memoryTotalBytes: 64 * GiB,
      memoryUsedBytes: 20 * GiB,
      memoryAvailableBytes: 44 * GiB,
      swapTotalBytes: 0,
      swapUsedBytes: 0,
      shmTotalBytes: 32 * GiB,
      shmUsedBytes: 0,
      cpuPercent: 10,
      cpuCount: 16,
      topProcesses: [],
    },
    forecast: [],
    imbalance: [],
    alerts: [],
    problems: [],
    ...more,
  } as Snapshot;
}

/** Plays Snapshots one a second and keeps what was raised, with the second. */
function play(seconds: number, at: (t: number) => Snapshot, start: AlertMemory = noAlerts, using = settings) {
  let memory = start;
  const raised: string[] = [];
  let standing: readonly string[] = [];
  for (let t = 0; t < seconds; t += 1) {
    const step = watchAlerts(memory, at(t), using);
    memory = step.memory;
    raised.push(...step.raised.map((alert) => `${t} ${alert.rule}`));
    standing = step.alerts.map((alert) => translate('en', alert.text));
  }
  return { memory, raised, standing };
}

describe('crossings', () => {
  it('raises nearly full once after five seconds, holds it down to 90 %, and says how much is left', () => {
    const used = (t: number) => (t < 3 ? 20 : t < 20 ? 23.1 : t < 40 ? 22 : 10);
    const { raised, standing, memory } = play(39, (t) => snapshot(t, [card(0, used(t))]));
    expect(raised).toEqual(['8 nearly-full']);
    expect(standing).toEqual(['Card 0 is 92 % full, 2.0 GiB left.']);
    const later = play(20, (t) => snapshot(100 + t, [card(0, 10)]), memory);
    expect(later.standing).toEqual([]);
    expect(later.memory.history[0]).toMatchObject({ outcome: 'eased', endedAt: 100 });
  });

  it('ignores a spike that is shorter than the minimum', () =>
    expect(play(60, (t) => snapshot(t, [card(0, t % 10 < 4 ? 23.5 : 10)])).raised).toEqual([]));

  it('announces a flapping card once in five minutes', () => {
    const flapping = (t: number) => snapshot(t, [card(0, t % 40 < 20 ? 23.5 : 10)]);
    expect(play(290, flapping).raised).toEqual(['5 nearly-full']);
    expect(play(340, flapping).raised).toEqual(['5 nearly-full', '325 nearly-full']);
  });

  it('says nothing of a rule or a card that is switched off', () => {
    const hot = (t: number) => snapshot(t, [card(0, 23.5, { temperatureC: 95 })]);
    const without = { ...settings, rulesOff: ['nearly-full'] };
    expect(play(30, hot, noAlerts, without).raised).toEqual(['10 hot']);
    expect(play(30, hot, noAlerts, { ...settings, mutedCards: [0] }).raised).toEqual([]);
  });

  it('announces nothing while snoozed but still shows it', () => {
    const full = (t: number) => snapshot(t, [card(0, 23.5)]);
    const { raised, standing } = play(30, full, snooze(noAlerts, '*', 0, 3600));
    expect(raised).toEqual([]);
    expect(standing).toHaveLength(1);
  });

  it('keeps only the snoozes that last, and no more than anybody makes', () => {
    const two = snooze(snooze(noAlerts, 'a', 0, 10), 'b', 0, 100);
    expect([...snooze(two, 'c', 50, 10).snoozedUntil]).toEqual([
      ['b', 100],
      ['c', 60],
    ]);
    let many = noAlerts;
    for (let i = 0; i < 2000; i += 1) many = snooze(many, `x${i}`, 0, 3600);
    expect(many.snoozedUntil.size).toBe(500);
    expect(many.snoozedUntil.has('x1999')).toBe(true);
  });

  it.each([
    ['nearly full, percent', (value: number) => ({ cards: [card(0, (24 * value) / 100)] }), 95],
    ['hot, °C', (value: number) => ({ cards: [card(0, 10, { temperatureC: value })] }), 87],
    [
      'host memory, percent',
      (value: number) => ({
        cards: [],
        host: {
          ...snapshot(0, []).host,
          memoryTotalBytes: 100 * GiB,
          memoryAvailableBytes: (100 - value) * GiB,
        },
      }),
      92,
    ],
  ] as const)('%s: an alert stands until its value is five below its level', (_rule, at, level) => {
    const standing = (values: readonly number[]) =>
      play(80, (t) => {
        const { cards, ...more } = at(values[Math.floor(t / 20)] ?? 0);
        return snapshot(t, cards, more);
      }).standing.length;
    expect(standing([level, level, level - 4, level - 4])).toBe(1);
    expect(standing([level, level, level - 5, level - 5])).toBe(0);
    // Below its level it is never raised.
    expect(standing([level - 1, level - 1, level - 1, level - 1])).toBe(0);
  });
});

describe('what each rule sees', () => {
  const holder = {
    gpuIndex: 0,
    pid: 7,
    type: 'C',
    gpuUuid: null,
    name: 'python',
    usedBytes: 22 * GiB,
    gpuInstance: null,
    computeInstance: null,
  };

  const rising =
    (announcedSeconds: number | null, etaSeconds: number, mayBeLoading = false, range = [1, 1]) =>
    (t: number) =>
      snapshot(t, [card(0, 12)], {
        jobs: [job('train', [member(7, null, [11])])],
        forecast: [
          {
            gpuIndex: 0,
            pid: null,
            state: 'growing',
            slopeBytesPerSecond: 12 * 2 ** 20,
            etaSeconds,
            risingForSeconds: 240,
            willFill: announcedSeconds !== null,
            mayBeLoading,
            etaRangeSeconds: [etaSeconds * (range[0] ?? 1), etaSeconds * (range[1] ?? 1)],
            growingPids: [7],
            announced:
              announcedSeconds === null
                ? null
                : { at: t, etaSeconds: announcedSeconds, number: 1, pids: [7] },
          },
        ],
      });

  it('the level of the time left holds in both directions', () => {
    const at = (willFillSeconds: number): AlertSettings => ({
      ...settings,
      thresholds: { ...settings.thresholds, willFillSeconds },
    });
    const standing = (announced: boolean, eta: number, level: number) =>
      play(5, rising(announced ? eta : null, eta), noAlerts, at(level)).standing.length;
    // Rising for 240 s. A level of a minute lets 80 s pass, but not a leak.
    expect([standing(true, 80, 60), standing(true, 50, 60), standing(true, 3600, 60)]).toEqual([0, 1, 1]);
    // A level of ten minutes looks 1.5 times as far ahead as the rise has been seen.
    expect([standing(false, 300, 600), standing(false, 500, 600), standing(false, 300, 120)]).toEqual([
      1, 0, 0,
    ]);
  });

  it('does not look far ahead where the rise may be weights being loaded', () => {
    const at = { ...settings, thresholds: { ...settings.thresholds, willFillSeconds: 600 } };
    const standing = (mayBeLoading: boolean) =>
      play(5, rising(null, 300, mayBeLoading), noAlerts, at).standing.length;
    expect([standing(false), standing(true)]).toEqual([1, 0]);
  });

  it('a leak in a recording and in the app is raised at the same moment', () => {
    const samples = Array.from({ length: 240 }, (_, t) => ({
      t,
      bytes: t < 10 ? 2 * GiB : 4 * GiB + (t < 30 ? 0 : (t - 30) * 0.15 * GiB),
    })).filter(({ bytes }) => bytes < 24 * GiB);
    const first = replay(samples, 24 * GiB).alerts[0]?.t;
    const said = replay(samples, 24 * GiB).outlooks.findIndex(({ willFill }) => willFill);
    expect(first).toBe(said + 2);
    let memory: ForecastMemory = new Map();
    const { raised } = play(samples.length, (t) => {
      const usedBytes = samples[t]?.bytes ?? 0;
      const seen = snapshot(t, [card(0, usedBytes / GiB)], { processes: [{ ...holder, usedBytes }] });
      const tracked = trackForecasts(memory, seen);
      ({ memory } = tracked);
      return { ...seen, forecast: tracked.forecasts };
    });
    expect(raised[0]).toBe(`${first} will-fill`);
  });

  it('warns of a card that will be full soon, and of a leak that will be full much later', () => {
    expect(play(5, rising(80, 80)).standing).toEqual([
      'Card 0 will be full in about 80 sec: train.py grows by 12 MiB a second.',
    ]);
    expect(play(5, rising(80, 80, false, [0.5, 2])).standing).toEqual([
      'Card 0 will be full in 40 sec to 3 min: train.py grows by 12 MiB a second.',
    ]);
    expect(play(5, rising(3600, 3600, false, [0.5, 2])).standing).toEqual([
      'train.py on card 0 has grown evenly for 4 min, 12 MiB a second: full in 30 min to 2 hr.',
    ]);
    expect(play(5, rising(3600, 3600)).standing).toEqual([
      'train.py on card 0 has grown evenly for 4 min, 12 MiB a second: full in about 60 min.',
    ]);
    expect(play(60, rising(null, 600)).raised).toEqual([]);
  });

  const dying = (last: number) => (t: number) =>
    t < 10
      ? snapshot(t, [card(0, last)], { processes: [holder], jobs: [job('train', [member(7, null, [22])])] })
      : snapshot(t, [card(0, 0.3)]);

  it('takes the end of a large process on a full card for a failure, and keeps it ten minutes', () => {
    const { raised, standing, memory } = play(20, dying(23.3));
    expect(raised).toEqual(['5 nearly-full', '10 died-on-full-card']);
    expect(standing).toEqual([
      'train.py ended while card 0 was full (23.3 GiB of 24.0 GiB): likely out of memory.',
    ]);
    expect(play(1, () => snapshot(700, [card(0, 0.3)]), memory).standing).toEqual([]);
  });

  it('does not when the card had room, when the person ended it, when the card is lost or another scene began', () => {
    expect(play(20, dying(15)).raised).toEqual([]);
    const before = watchAlerts(noAlerts, dying(23.3)(0), settings).memory;
    const raisedBy = (next: Snapshot, ended = new Set<number>()) =>
      watchAlerts(before, next, settings, ended).raised.map(({ rule }) => rule);
    expect(raisedBy(snapshot(1, [card(0, 0.3)]), new Set([7]))).toEqual([]);
    expect(raisedBy(snapshot(1, [card(0, 23.3, { lost: true })]))).toEqual(['card-lost']);
    expect(
      raisedBy(snapshot(1, [card(0, 0.3)], { source: { kind: 'simulated', sceneId: 'eight-healthy' } })),
    ).toEqual([]);
  });

  it('tells heat from the power limit that holds every busy card', () => {
    const held = (reason: string) => (t: number) => snapshot(t, [card(0, 12, { throttleReasons: [reason] })]);
    expect(play(40, held('sw_power_cap')).raised).toEqual([]);
    expect(play(40, held('hw_thermal_slowdown')).standing).toEqual([
      'Card 0 slows down because it is too hot.',
    ]);
  });

  it('tells once of a job whose ranks are gone, when that has lasted, and not of other suspects', () => {
    const missing = {
      sign: 'ranks-missing',
      text: { key: 'stale.ranksMissing', values: { count: 1, expected: 2 } },
      weight: 0.5,
    } as const;
    const suspect =
      (reasons: Job['reasons'], memoryBytes = 12 * GiB) =>
      (t: number) =>
        snapshot(t, [card(0, 12)], {
          jobs: [job('half', [member(9, 0, [12])], { verdict: 'suspect', memoryBytes, reasons })],
        });
    const { raised, standing } = play(400, suspect([missing]));
    expect(raised).toEqual(['30 rank-lost']);
    expect(standing).toEqual([
      'Ranks of half.py are gone. Those left hold 12.0 GiB and may wait for them forever.',
    ]);
    expect(play(60, suspect([{ ...missing, sign: 'launcher-gone' }])).raised).toEqual([]);
    expect(play(60, suspect([missing], 0)).raised).toEqual([]);
  });

  it('reports stale jobs, uneven jobs, memory errors and a full host', () => {
    const bad = (t: number) =>
      snapshot(t, [card(0, 12, { eccUncorrectedErrors: 2 })], {
        jobs: [job('old', [member(9, 0, [12])], { verdict: 'stale', memoryBytes: 12 * GiB })],
        imbalance: [
          {
            kind: 'stray-contexts',
            gpuIndices: [0],
            jobIds: ['x'],
            what: { key: 'imbalance.strayRemedy', values: {} },
            why: { key: 'imbalance.strayRemedy', values: {} },
            remedy: { key: 'imbalance.strayRemedy', values: {} },
          },
        ],
        host: {
          ...snapshot(0, []).host,
          memoryAvailableBytes: 3 * GiB,
          topProcesses: [{ pid: 5, name: 'python', residentBytes: 50 * GiB }],
        },
      });
    expect(play(20, bad).raised.toSorted()).toEqual([
      '0 ecc-errors',
      '10 host-memory',
      '10 uneven',
      '5 stale-job',
    ]);
  });
});
