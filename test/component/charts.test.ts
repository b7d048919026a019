import { expect, test } from 'vitest';
import { timeAxis } from '../../renderer/charts/axis';
import { extendHistory } from '../../renderer/charts/liveHistory';
import { evenlySpread, historyRange, memorySeries } from '../../renderer/charts/memorySeries';
import { sparklinePath } from '../../renderer/charts/sparkline';
import type { CardHistory, History, HistorySpan } from '../../shared/snapshot/history/history';
import { offeredIntervals } from '../../shared/contract/defaultSettings';
import { GiB } from '../../shared/units';
import { card, job, member, noon, snapshot } from './support/snapshots';

const empty: History = {
  span: 'fiveMinutes',
  fromTime: noon,
  toTime: noon,
  intervalSeconds: null,
  cards: [],
  marks: [],
};
const past: CardHistory = {
  gpuIndex: 0,
  times: [0, 10, 20],
  usedBytes: [4, null, 10],
  usedMinBytes: [3, null, 9],
  usedMaxBytes: [5, null, 14],
  utilizationPercent: [0, null, 50],
  jobs: [
    { jobId: 'b', title: 'late.py', usedBytes: [null, null, 6] },
    { jobId: 'a', title: 'early.py', usedBytes: [4, null, 3] },
  ],
};
const plain = (jobId: string) => ({ kind: 'colour' as const, colour: jobId === 'a' ? 0 : 1 });

test('layers add up to what was in use, in the order of the job ids', () => {
  const { layers, peaks } = memorySeries(past, plain, 'rest');
  expect(layers.map(({ name, points }) => [name, points.map(({ y }) => y)])).toEqual([
    ['early.py', [4, NaN, 3]],
    ['late.py', [0, NaN, 6]],
    ['rest', [0, NaN, 1]],
  ]);
  expect(peaks.map(({ y }) => y)).toEqual([5, NaN, 14]);
});

test('where the highest is the mean no line of peaks is drawn', () => {
  const even = { ...past, usedMaxBytes: past.usedBytes };
  expect(memorySeries(even, plain, 'rest').peaks).toEqual([]);
});

test('the summary knows the newest, the lowest and the highest value', () => {
  expect(historyRange(past)).toEqual({ nowBytes: 10, lowBytes: 3, highBytes: 14 });
  expect(historyRange({ ...past, usedBytes: [null, null, null] })).toBeNull();
});

test('the table shows points spread evenly, the last among them', () => {
  expect(evenlySpread(3, 60)).toEqual([0, 1, 2]);
  expect(evenlySpread(100, 4)).toEqual([0, 33, 66, 99]);
  expect(evenlySpread(0, 60)).toEqual([]);
});

test('a sparkline leaves gaps and never leaves its box', () => {
  const frame = { fromTime: 0, toTime: 100, top: 10 };
  expect(sparklinePath([0, 50, 100], [0, 5, 20], frame, 100, 20)).toBe('M0 20L0 20L50 10L100 0L100 20Z');
  expect(sparklinePath([0, 25, 50, 75, 100], [5, 5, null, 5, 5], frame, 100, 20)).toBe(
    'M0 20L0 10L25 10L25 20ZM75 20L75 10L100 10L100 20Z',
  );
  expect(sparklinePath([0, 50], [5, null], frame, 100, 20)).toBe('');
  expect(sparklinePath([0, 50], [5, 5], { ...frame, top: 0 }, 100, 20)).toBe('');
});

test('a Snapshot is added at the end, and what is too old falls out', () => {
  const at = (seconds: number, gib: number) =>
    snapshot({
      time: noon + seconds,
      cards: [card(0, { memoryUsedBytes: gib * GiB })],
      jobs: [job('1', [member(1, [[0, gib * GiB]])])],
    });
  const grown = [0, 3, 300, 302, 304].reduce(
    (history, seconds) => extendHistory(history, at(seconds, 2), 300),
    empty,
  );
  expect(grown.cards[0]?.times.map((time) => time - noon)).toEqual([151.5, 300, 302, 304]);
  expect(grown.cards[0]?.jobs[0]?.usedBytes).toEqual([null, 2 * GiB, 2 * GiB, 2 * GiB]);
  expect(grown.fromTime).toBe(noon + 4);
});

test('a job that starts late is unknown before, one that ended keeps its past', () => {
  const with1 = snapshot({
    time: noon,
    cards: [card(0, { memoryUsedBytes: 9 })],
    jobs: [job('1', [member(1, [[0, 9]])])],
  });
  const with2 = snapshot({
    time: noon + 1,
    cards: [card(0, { memoryUsedBytes: 5 })],
    jobs: [job('2', [member(2, [[0, 5]])])],
  });
  const history = extendHistory(extendHistory(empty, with1, 300), with2, 300);
  expect(history.cards[0]?.jobs.map(({ jobId, usedBytes }) => [jobId, usedBytes])).toEqual([
    ['1', [9, null]],
    ['2', [null, 5]],
  ]);
});

test('a reading counts once, and silence leaves a gap', () => {
  const at = (seconds: number, readAt: number) =>
    snapshot({ time: noon + seconds, cardsReadAt: noon + readAt, cards: [card(0, { memoryUsedBytes: 9 })] });
  const history = [at(0, 0), at(1, 1), at(2, 1), at(9, 1), at(20, 20)].reduce(
    (grown, one) => extendHistory(grown, one, 300),
    empty,
  );
  expect(history.cards[0]?.times.map((time) => time - noon)).toEqual([0, 1, 10.5, 20]);
  expect(history.cards[0]?.usedBytes).toEqual([9, 9, null, 9]);
  expect(history.toTime).toBe(noon + 20);
});

test.each([...offeredIntervals, 60])(
  'readings every %d s are one line, and break where they really stopped',
  (intervalSeconds) => {
    const at = (reading: number) =>
      snapshot({
        time: noon + reading * intervalSeconds,
        intervalSeconds,
        cards: [card(0, { memoryUsedBytes: 9 })],
      });
    const steady = Array.from({ length: 60 }, (_, reading) => at(reading));
    const { cards } = steady.reduce((grown, one) => extendHistory(grown, one, 3600), empty);
    expect(cards[0]?.usedBytes).toEqual(Array.from({ length: 60 }, () => 9));
    const { times = [], usedBytes = [] } = cards[0] ?? {};
    const frame = { fromTime: noon, toTime: noon + 59 * intervalSeconds, top: 9 };
    expect(sparklinePath(times, usedBytes, frame, 590, 10).match(/M/g)).toHaveLength(1);

    const stopped = [at(0), at(1), at(7), at(8)];
    const { cards: broken } = stopped.reduce((grown, one) => extendHistory(grown, one, 3600), empty);
    expect(broken[0]?.usedBytes).toEqual([9, 9, null, 9, 9]);
  },
);

test('a window that comes back is served faster at once: the slower pace of before is no gap', () => {
  const at = (seconds: number, intervalSeconds: number) =>
    snapshot({ time: noon + seconds, intervalSeconds, cards: [card(0, { memoryUsedBytes: 9 })] });
  const paces = [at(0, 1), at(1, 1), at(7, 5), at(12, 5), at(18, 1), at(19, 1)];
  const { cards } = paces.reduce((grown, one) => extendHistory(grown, one, 300), empty);
  expect(cards[0]?.usedBytes).toEqual([9, 9, 9, 9, 9, 9]);
});

test('a lost card’s last reading is not drawn on', () => {
  const lost = snapshot({ cards: [card(0, { lost: true, memoryUsedBytes: 9, utilizationPercent: 7 })] });
  const history = extendHistory(empty, lost, 300);
  expect(history.cards[0]?.usedBytes).toEqual([null]);
  expect(history.cards[0]?.utilizationPercent).toEqual([null]);
});

test('a card that went away keeps its past', () => {
  const both = snapshot({ time: noon, cards: [card(0), card(1)] });
  const rest = snapshot({ time: noon + 1, cards: [card(1)] });
  const history = extendHistory(extendHistory(empty, both, 300), rest, 300);
  expect(history.cards.map(({ gpuIndex, times }) => [gpuIndex, times.length])).toEqual([
    [0, 1],
    [1, 2],
  ]);
});

test.each<[HistorySpan, number | null, number, number, boolean]>([
  ['fiveMinutes', 30, 300, 60, false],
  ['hour', 30, 300, 60, true],
  ['hour', 1000, 3600, 600, true],
  ['hour', 3600, 3600, 600, false],
  ['day', 200, 300, 60, true],
  ['day', 5000, 10_800, 1800, true],
  ['day', 50_000, 86_400, 14_400, true],
  ['day', null, 86_400, 14_400, false],
])('the axis of %s with %s s of readings reaches %s s back', (span, known, seconds, tickSeconds, told) => {
  const first = known === null ? null : noon - known;
  expect(timeAxis(span, first, noon)).toEqual({ seconds, tickSeconds, since: told ? first : null });
});
