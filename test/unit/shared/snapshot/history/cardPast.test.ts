import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CardHistory } from '../../../../../shared/snapshot/history/history';
import { CardPast } from '../../../../../shared/snapshot/history/cardPast';
import { MiB } from '../../../../../shared/units';
import { offeredIntervals } from '../../../../../shared/contract/defaultSettings';
import { snapshotAt, snapshotEvery, type CardAt, type JobAt } from './support';

/** A moment that begins a minute, so that intervals are easy to count. */
const start = 1_800_000_000;

function cardOf(
  past: CardPast,
  span: 'fiveMinutes' | 'hour' | 'day',
  now: number,
  pixelWidth = 2000,
): CardHistory {
  const [card] = past.read({ span, pixelWidth }, now).cards;
  if (card === undefined) throw new Error('no card');
  return card;
}

const inMiB = (values: readonly (number | null)[]) =>
  values.map((value) => (value === null ? null : value / MiB));

function fill(past: CardPast, seconds: number, used: (second: number) => number, step = 1): number {
  for (let second = 0; second < seconds; second += step)
    past.add(snapshotAt(start + second, [{ index: 0, usedMiB: used(second), utilization: second % 100 }]));
  return start + seconds - step;
}

describe('what a chart gets', () => {
  test('five minutes at one reading a second, second by second', () => {
    const past = new CardPast();
    const now = fill(past, 4, (second) => 100 + second);
    const history = past.read({ span: 'fiveMinutes', pixelWidth: 800 }, now);
    expect([history.span, history.fromTime, history.toTime]).toEqual(['fiveMinutes', now - 300, now]);
    expect(history.cards).toEqual([
      {
        gpuIndex: 0,
        times: [start, start + 1, start + 2, start + 3],
        usedBytes: [100 * MiB, 101 * MiB, 102 * MiB, 103 * MiB],
        usedMinBytes: [100 * MiB, 101 * MiB, 102 * MiB, 103 * MiB],
        usedMaxBytes: [100 * MiB, 101 * MiB, 102 * MiB, 103 * MiB],
        utilizationPercent: [0, 1, 2, 3],
        jobs: [],
      },
    ]);
  });

  test('an hour in ten-second intervals with mean and extremes', () => {
    const past = new CardPast();
    const now = fill(past, 30, (second) => (second < 10 ? second : second < 20 ? 50 : 100 - second));
    const card = cardOf(past, 'hour', now);
    expect(card.times).toEqual([start, start + 10, start + 20]);
    expect(inMiB(card.usedBytes)).toEqual([4.5, 50, 75.5]);
    expect(inMiB(card.usedMinBytes)).toEqual([0, 50, 71]);
    expect(inMiB(card.usedMaxBytes)).toEqual([9, 50, 80]);
    expect(card.utilizationPercent).toEqual([4.5, 14.5, 24.5]);
  });

  test('a spike of one second stays visible over a day', () => {
    const past = new CardPast();
    const now = fill(past, 7200, (second) => (second === 3601 ? 24_000 : 10));
    const card = cardOf(past, 'day', now, 400);
    expect(Math.max(...card.usedMaxBytes.map((value) => value ?? 0))).toBe(24_000 * MiB);
    expect(Math.max(...card.usedBytes.map((value) => value ?? 0))).toBeLessThan(500 * MiB);
  });

  test.each([
    ['fiveMinutes', 40],
    ['fiveMinutes', 1],
    ['hour', 90],
    ['day', 300],
    ['day', 1],
  ] as const)('%s on %d pixels: at most two points a pixel', (span, pixelWidth) => {
    const past = new CardPast();
    const now = fill(past, 100_000, (second) => second % 1000, 5);
    const card = cardOf(past, span, now, pixelWidth);
    expect(card.times.length).toBeLessThanOrEqual(2 * pixelWidth + 1);
    expect(card.times.length).toBeGreaterThan(0);
    for (const values of [card.usedBytes, card.usedMinBytes, card.usedMaxBytes, card.utilizationPercent])
      expect(values).toHaveLength(card.times.length);
  });

  test('points do not regroup while the chart moves on', () => {
    const past = new CardPast();
    fill(past, 100_000, (second) => second % 997, 10);
    const before = cardOf(past, 'day', start + 99_000, 200);
    const after = cardOf(past, 'day', start + 99_960, 200);
    const shared = before.times.filter((time) => after.times.includes(time)).slice(1, -1);
    expect(shared.length).toBeGreaterThan(100);
    for (const time of shared)
      expect(after.usedBytes[after.times.indexOf(time)]).toBe(before.usedBytes[before.times.indexOf(time)]);
  });

  test('readings ten seconds apart are a line where that is the pace, half a minute of silence is a gap', () => {
    const past = new CardPast();
    for (const second of [0, 10, 20, 60, 70])
      past.add(snapshotEvery(10, start + second, [{ index: 0, usedMiB: second }]));
    const card = cardOf(past, 'fiveMinutes', start + 70);
    expect(card.times.map((time) => time - start)).toEqual([0, 10, 20, 21, 60, 70]);
    expect(inMiB(card.usedBytes)).toEqual([0, 10, 20, null, 60, 70]);
  });

  test.each(
    [...offeredIntervals, 60].flatMap((interval) =>
      (['fiveMinutes', 'hour', 'day'] as const).map((span) => [interval, span] as const),
    ),
  )('readings every %d s are one line in a chart of %s', (intervalSeconds, span) => {
    const past = new CardPast();
    const seconds = span === 'fiveMinutes' ? 300 : 3600;
    for (let second = 0; second <= seconds; second += intervalSeconds)
      past.add(snapshotEvery(intervalSeconds, start + second, [{ index: 0, usedMiB: 7 }]));
    const card = cardOf(past, span, start + seconds);
    expect(card.times.length).toBeGreaterThan(4);
    expect(new Set(inMiB(card.usedBytes))).toEqual(new Set([7]));
  });

  test.each([...offeredIntervals, 60])('readings every %d s that stop are a gap', (intervalSeconds) => {
    const past = new CardPast();
    const moments = [0, 1, 2, 8, 9].map((reading) => reading * intervalSeconds);
    for (const second of moments)
      past.add(snapshotEvery(intervalSeconds, start + second, [{ index: 0, usedMiB: 7 }]));
    const now = start + 9 * intervalSeconds;
    const { cards } = past.readRange({ fromTime: start, toTime: now, pixelWidth: 2000 });
    expect(inMiB(cards[0]?.usedBytes ?? [])).toEqual([7, 7, 7, null, 7, 7]);
    const later = { fromTime: start, toTime: now + 6 * intervalSeconds, pixelWidth: 2000 };
    expect(inMiB(past.readRange(later).cards[0]?.usedBytes ?? []).slice(-3)).toEqual([7, null, null]);
  });

  test('a card that is lost ends in a gap, and comes back after it', () => {
    const past = new CardPast();
    past.add(snapshotAt(start, [{ index: 0, usedMiB: 5 }]));
    for (let second = 1; second <= 40; second++)
      past.add(snapshotAt(start + second, [{ index: 0, usedMiB: 5, lost: true }]));
    expect(inMiB(cardOf(past, 'fiveMinutes', start + 40).usedBytes)).toEqual([5, null, null]);
    past.add(snapshotAt(start + 41, [{ index: 0, usedMiB: 7 }]));
    expect(inMiB(cardOf(past, 'fiveMinutes', start + 41).usedBytes)).toEqual([5, null, 7]);
  });

  test('a reading that Snapshots repeat counts once', () => {
    const past = new CardPast();
    past.add(snapshotAt(start, [{ index: 0, usedMiB: 10 }]));
    for (let second = 1; second < 9; second++)
      past.add(snapshotAt(start + second, [{ index: 0, usedMiB: 10 }], [], start));
    past.add(snapshotAt(start + 9, [{ index: 0, usedMiB: 30 }]));
    expect(inMiB(cardOf(past, 'hour', start + 9).usedBytes)).toEqual([20]);
    past.add(snapshotAt(start + 10, [{ index: 0, usedMiB: 30 }], [], null));
    expect(cardOf(past, 'hour', start + 10).times).toHaveLength(1);
  });

  test('unknown memory is unknown, not zero', () => {
    const past = new CardPast();
    past.add(snapshotAt(start, [{ index: 0, usedMiB: null, utilization: 40 }]));
    expect(cardOf(past, 'hour', start)).toMatchObject({
      usedBytes: [null],
      usedMinBytes: [null],
      usedMaxBytes: [null],
      utilizationPercent: [40],
    });
  });

  test('a clock that is set back leaves what is right', () => {
    const past = new CardPast();
    past.add(snapshotAt(start + 100, [{ index: 0, usedMiB: 9 }]));
    past.add(snapshotAt(start, [{ index: 0, usedMiB: 1 }]));
    past.add(snapshotAt(start + 1, [{ index: 0, usedMiB: 2 }]));
    expect(inMiB(cardOf(past, 'fiveMinutes', start + 1).usedBytes)).toEqual([1, 2]);
  });

  test('before anything was read there is nothing', () => {
    expect(new CardPast().read({ span: 'day', pixelWidth: 100 }, start)).toMatchObject({
      cards: [],
      marks: [],
    });
  });

  test('any range of the week can be read', () => {
    const past = new CardPast();
    fill(past, 3 * 86_400, () => 12, 60);
    const { cards } = past.readRange({
      fromTime: start + 86_400,
      toTime: start + 86_400 + 3600,
      pixelWidth: 500,
    });
    expect(cards[0]?.times.length).toBeGreaterThan(50);
    expect(new Set(cards[0]?.usedBytes)).toEqual(new Set([12 * MiB]));
  });
});

describe('jobs', () => {
  test('their memory by card, null where they were not there', () => {
    const past = new CardPast();
    const cards: CardAt[] = [
      { index: 0, usedMiB: 100 },
      { index: 1, usedMiB: 50 },
    ];
    past.add(snapshotAt(start, cards, [{ id: 'a', title: 'train', on: { 0: 60 } }]));
    past.add(
      snapshotAt(start + 1, cards, [
        { id: 'a', title: 'train', on: { 0: 70, 1: 5 } },
        { id: 'b', on: { 1: 40 } },
      ]),
    );
    past.add(snapshotAt(start + 2, cards, [{ id: 'b', on: { 1: 41 } }]));
    const history = past.read({ span: 'fiveMinutes', pixelWidth: 500 }, start + 2);
    expect(history.cards.map(({ gpuIndex, jobs }) => [gpuIndex, jobs])).toEqual([
      [0, [{ jobId: 'a', title: 'train', usedBytes: [60 * MiB, 70 * MiB, null] }]],
      [
        1,
        [
          { jobId: 'a', title: 'train', usedBytes: [null, 5 * MiB, null] },
          { jobId: 'b', title: 'b', usedBytes: [null, 40 * MiB, 41 * MiB] },
        ],
      ],
    ]);
  });

  test('in a longer interval a job that was there for half of it counts half', () => {
    const past = new CardPast();
    for (let second = 0; second < 10; second++)
      past.add(
        snapshotAt(
          start + second,
          [{ index: 0, usedMiB: 100 }],
          second < 5 ? [{ id: 'a', on: { 0: 80 } }] : [],
        ),
      );
    expect(cardOf(past, 'hour', start + 9).jobs).toEqual([{ jobId: 'a', title: 'a', usedBytes: [40 * MiB] }]);
  });

  test('of more than eight on a card the largest are told apart', () => {
    const past = new CardPast();
    const jobs = Array.from({ length: 12 }, (_, place): JobAt => ({ id: `j${place}`, on: { 0: place + 1 } }));
    past.add(snapshotAt(start, [{ index: 0, usedMiB: 100 }], jobs));
    expect(
      cardOf(past, 'fiveMinutes', start)
        .jobs.map(({ jobId }) => jobId)
        .sort(),
    ).toEqual(['j4', 'j5', 'j6', 'j7', 'j8', 'j9', 'j10', 'j11'].sort());
  });

  test('the newest title of a job is shown', () => {
    const past = new CardPast();
    past.add(snapshotAt(start, [{ index: 0, usedMiB: 9 }], [{ id: 'a', title: 'python', on: { 0: 1 } }]));
    past.add(
      snapshotAt(start + 1, [{ index: 0, usedMiB: 9 }], [{ id: 'a', title: 'train.py', on: { 0: 1 } }]),
    );
    expect(cardOf(past, 'fiveMinutes', start + 1).jobs).toEqual([
      { jobId: 'a', title: 'train.py', usedBytes: [1 * MiB, 1 * MiB] },
    ]);
  });
});

describe('any readings', () => {
  test('mean and extremes are those of the readings in the interval', () => {
    const reading = fc.record({
      gap: fc.integer({ min: 1, max: 40 }),
      usedMiB: fc.integer({ min: 0, max: 150_000 }),
    });
    fc.assert(
      fc.property(fc.array(reading, { minLength: 1, maxLength: 150 }), (readings) => {
        const past = new CardPast();
        const byInterval = new Map<number, number[]>();
        let time = start;
        for (const { gap, usedMiB } of readings) {
          time += gap;
          past.add(snapshotAt(time, [{ index: 0, usedMiB }]));
          const interval = Math.floor(time / 10) * 10;
          byInterval.set(interval, [...(byInterval.get(interval) ?? []), usedMiB]);
        }
        const history = past.readRange({ fromTime: time - 3600, toTime: time, pixelWidth: 4000 });
        const card = history.cards[0];
        const kept = [...byInterval].filter(([interval]) => interval >= Math.floor((time - 3600) / 10) * 10);
        const points = (card?.times ?? []).flatMap((at, place) => {
          const used = card?.usedBytes[place] ?? null;
          return used === null
            ? []
            : [{ at, used, min: card?.usedMinBytes[place], max: card?.usedMaxBytes[place] }];
        });
        expect(points.map(({ at }) => at)).toEqual(kept.map(([interval]) => interval));
        kept.forEach(([, values], place) => {
          const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
          expect(points[place]?.min).toBe(Math.min(...values) * MiB);
          expect(points[place]?.max).toBe(Math.max(...values) * MiB);
          expect(Math.abs((points[place]?.used ?? 0) / MiB - mean)).toBeLessThan(0.1);
        });
      }),
      { numRuns: 60 },
    );
  });
});

describe('memory', () => {
  test('sixteen cards for eight days, with jobs that come and go: the arrays never grow and old jobs are forgotten', () => {
    const past = new CardPast();
    const cards = Array.from({ length: 16 }, (_, index): CardAt => ({
      index,
      usedMiB: 1000 + index,
      utilization: 50,
    }));
    const base = snapshotAt(start, cards, [{ id: 'long', on: { 0: 500, 15: 500 } }]);
    const [long] = base.jobs;
    if (long === undefined) throw new Error('no job');
    let afterDay = 0;
    for (let step = 0; step < 8 * 720; step++) {
      const time = start + step * 120;
      past.add({ ...base, time, cardsReadAt: time, jobs: [long, { ...long, id: `short ${step}` }] });
      if (step === 720) afterDay = past.size.arrayBytes;
    }
    expect(past.size.arrayBytes).toBe(afterDay);
    expect(past.size.arrayBytes).toBeLessThan(16 * 1.6 * 1024 * 1024);
    // Seven days hold 5,040 short jobs; between two sweeps at most as many again.
    expect(past.size.jobs).toBeLessThan(2 * 5_041 + 2);
    expect(past.size.jobs).toBeGreaterThan(5_000);
    const week = past.readRange({ fromTime: start, toTime: start + 8 * 86_400, pixelWidth: 1000 });
    expect(week.cards[0]?.times[0]).toBeGreaterThanOrEqual(start + 86_400);
  });

  test('indices beyond any machine are not kept', () => {
    const past = new CardPast();
    past.add(
      snapshotAt(
        start,
        Array.from({ length: 500 }, (_, index): CardAt => ({ index, usedMiB: 1 })),
      ),
    );
    expect(past.read({ span: 'hour', pixelWidth: 10 }, start).cards).toHaveLength(64);
  });

  test('marks are bounded', () => {
    const past = new CardPast();
    for (let place = 0; place < 10_000; place++)
      past.mark({ time: start + place, kind: 'started', jobId: `${place}`, title: 't', gpuIndices: [0] });
    expect(past.size.marks).toBeLessThan(4_400);
    const { marks } = past.readRange({ fromTime: start + 9_990, toTime: start + 9_994, pixelWidth: 10 });
    expect(marks.map(({ jobId }) => jobId)).toEqual(['9990', '9991', '9992', '9993', '9994']);
  });
});
