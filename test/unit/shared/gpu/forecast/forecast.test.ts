import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outlook } from '../../../../../shared/gpu/forecast/outlook';
import { replay } from '../../../../../shared/gpu/forecast/replay';
import { GiB } from '../../../../../shared/units';
import { generateJob, generateSeries, type GeneratedSeries } from './generated';

interface Recorded {
  readonly capacity_bytes: number;
  readonly end: { readonly t: number; readonly kind: string };
  readonly samples: readonly (readonly [number, number])[];
}
const folder = join(import.meta.dirname, '../../../../fixtures/series');
const recorded = readdirSync(folder).map((file) => ({
  name: file.replace('.json', ''),
  series: JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recorded,
}));
const play = (series: Recorded) =>
  replay(
    series.samples.map(([t, bytes]) => ({ t, bytes })),
    series.capacity_bytes,
  );

describe('real training loops on an H200', () => {
  it('has fourteen of them', () => expect(recorded).toHaveLength(14));

  it.each(recorded.filter(({ series }) => series.end.kind === 'oom'))(
    'warns of $name half a minute or a fifth of the run before it runs out',
    ({ series }) => {
      const first = play(series).alerts[0];
      expect(first).toBeDefined();
      expect(series.end.t - (first?.t ?? Infinity)).toBeGreaterThanOrEqual(Math.min(30, series.end.t / 5));
    },
  );

  it.each(recorded.filter(({ series, name }) => series.end.kind === 'end' && name !== 'leak_slow'))(
    'stays silent on $name, which never runs out',
    ({ series }) => expect(play(series).alerts).toEqual([]),
  );

  const even = ['leak_graph', 'leak_small', 'kv_growth', 'leak_from_bare_context'];
  it.each(recorded.filter(({ name }) => even.includes(name)))(
    'tells the time left of $name within 30 % in the last half',
    ({ series }) => {
      const late = play(series).outlooks.filter(({ t }) => t > series.end.t / 2 && t < series.end.t - 5);
      expect(late.length).toBeGreaterThan(20);
      for (const { t, etaSeconds } of late) {
        expect(Math.abs((etaSeconds ?? 0) / (series.end.t - t) - 1)).toBeLessThan(0.3);
      }
    },
  );

  it('tells the time left of leak_eval within 10 % from its second step on, also while a step is being taken', () => {
    const series = recorded.find(({ name }) => name === 'leak_eval')?.series;
    if (series === undefined) throw new Error('no such series');
    const late = play(series).outlooks.filter(({ t }) => t > 41 && t < series.end.t - 5);
    expect(late.length).toBeGreaterThan(20);
    for (const { t, etaSeconds } of late)
      expect(Math.abs((etaSeconds ?? 0) / (series.end.t - t) - 1)).toBeLessThan(0.1);
  });
});

/** Four readings a second become one, begun at each of the four. */
const onceASecond = (series: Recorded): readonly Recorded[] =>
  [0, 1, 2, 3].map((first) => ({
    ...series,
    samples: series.samples.filter((_sample, place) => place % 4 === first),
  }));
const isFourASecond = ({ samples }: Recorded): boolean => (samples[4]?.[0] ?? 0) - (samples[0]?.[0] ?? 0) < 2;

describe('the same loops looked at once a second, as the app does', () => {
  const four = recorded.filter(({ series }) => isFourASecond(series));
  it('has twelve of them', () => expect(four).toHaveLength(12));

  it.each(four.filter(({ series }) => series.end.kind === 'end'))('stays silent on $name', ({ series }) => {
    for (const thinned of onceASecond(series)) expect(play(thinned).alerts).toEqual([]);
  });

  it.each(four.filter(({ series }) => series.end.kind === 'oom'))('warns of $name', ({ name, series }) => {
    // Of a cache that is filled and released within a second one look a second shows little.
    const needed = name === 'kv_growth' ? 5 : Math.min(30, series.end.t / 5);
    for (const thinned of onceASecond(series)) {
      const first = play(thinned).alerts[0]?.t ?? Infinity;
      expect(series.end.t - first).toBeGreaterThanOrEqual(needed);
    }
  });
});

const judgedOf = (series: GeneratedSeries) => {
  const { alerts } = replay(series.samples, series.capacityBytes);
  const needed = Math.min(30, (series.endsAt ?? 0) / 5);
  return {
    series,
    alerted: alerts.length > 0,
    inTime: alerts.some(({ t }) => (series.endsAt ?? 0) - t >= needed),
  };
};

describe.each([
  {
    what: '660 made-up series',
    judged: () => Array.from({ length: 660 }, (_, seed) => judgedOf(generateSeries(seed))),
  },
  {
    what: '400 made-up jobs, looked at once a second',
    judged: () => Array.from({ length: 400 }, (_, seed) => judgedOf(generateJob(seed, 1))),
  },
  {
    what: '200 made-up jobs, looked at four times a second',
    judged: () => Array.from({ length: 200 }, (_, seed) => judgedOf(generateJob(seed + 1000, 4))),
  },
])('$what with a known truth', ({ judged }) => {
  const all = judged();
  const alerted = all.filter((one) => one.alerted);
  const ends = all.filter(({ series }) => series.grows && series.endsAt !== null);

  it('raise few false alarms: precision at least 0.95', () => {
    const falseAlarms = alerted.filter(({ series }) => !series.grows).map(({ series }) => series.kind);
    expect(alerted.length).toBeGreaterThan(60);
    expect(falseAlarms.length / alerted.length, falseAlarms.join(', ')).toBeLessThanOrEqual(0.05);
  });

  it('show the ends that come: recall at least 0.9', () => {
    const missed = ends.filter(({ inTime }) => !inTime).map(({ series }) => series.kind);
    expect(ends.length).toBeGreaterThan(60);
    expect(1 - missed.length / ends.length, missed.join(', ')).toBeGreaterThanOrEqual(0.9);
  });
});

describe('what is judged', () => {
  const rise = (seconds: number, bytesPerSecond: number) => {
    const time = Array.from({ length: seconds }, (_, t) => t);
    const bytes = time.map((t) => (t < 5 ? 0.5 : 4) * GiB + Math.max(0, t - 10) * bytesPerSecond);
    return { time, bytes };
  };

  it('says nothing before 20 seconds of history', () => {
    expect(outlook(rise(15, GiB), 24 * GiB).state).toBe('unknown');
    expect(outlook({ time: [], bytes: [] }, 24 * GiB).state).toBe('unknown');
  });

  it('shows a slow rise with rate and time left, without an alert', () => {
    const now = outlook(rise(130, 10 * 2 ** 20), 24 * GiB);
    expect(now.state).toBe('growing');
    expect(now.slopeBytesPerSecond).toBeCloseTo(10 * 2 ** 20, -3);
    expect(now.etaSeconds).toBeCloseTo((20 * 1024 - 1190) / 10, 0);
    expect(now.willFill).toBe(false);
  });

  it('calls five even minutes a leak however far the end is', () => {
    expect(outlook(rise(480, 2 ** 20), 141 * GiB)).toMatchObject({ state: 'growing', willFill: true });
  });

  it('never fails and never promises a negative or endless time', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0, max: 1e4, noNaN: true }), fc.maxSafeNat()), { maxLength: 120 }),
        fc.integer({ min: 1, max: 2 ** 40 }),
        (points, capacity) => {
          const ascending = points.map(([t, bytes]) => ({ t, bytes })).sort((a, b) => a.t - b.t);
          for (const { etaSeconds } of replay(ascending, capacity).outlooks) {
            if (etaSeconds !== null) expect(etaSeconds >= 0 && Number.isFinite(etaSeconds)).toBe(true);
          }
        },
      ),
    );
  });
});
