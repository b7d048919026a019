import { expect, test } from 'vitest';
import { offeredIntervals } from '../../../../../shared/contract/defaultSettings';
import { isGap, isOverdue, longestPauseSeconds } from '../../../../../shared/snapshot/history/gap';

const every = (intervalSeconds: number, time: number) => ({ time, intervalSeconds });

test('readings may lie a few intervals apart before a line breaks', () => {
  expect([...offeredIntervals, 60].map((seconds) => [seconds, longestPauseSeconds(seconds)])).toEqual([
    [1, 5],
    [2, 8],
    [5, 17],
    [10, 32],
    [30, 92],
    [60, 182],
  ]);
});

test.each([...offeredIntervals, 60])('at %d s a reading or two may be missed, six are a gap', (seconds) => {
  expect(isGap(every(seconds, 100), every(seconds, 100 + seconds))).toBe(false);
  expect(isGap(every(seconds, 100), every(seconds, 100 + 3 * seconds))).toBe(false);
  expect(isGap(every(seconds, 100), every(seconds, 100 + 6 * seconds))).toBe(true);
});

test('where the pace changed the slower one counts, in both directions', () => {
  expect(isGap(every(30, 0), every(1, 60))).toBe(false);
  expect(isGap(every(1, 0), every(30, 60))).toBe(false);
  expect(isGap(every(1, 0), every(1, 60))).toBe(true);
});

test('a clock that is set back makes no gap', () => {
  expect(isGap(every(1, 100), every(1, 10))).toBe(false);
});

test('a reading is overdue a moment after its successor should have come', () => {
  expect([2.9, 3.1].map((age) => isOverdue(age, 1))).toEqual([false, true]);
  expect([59, 63].map((age) => isOverdue(age, 60))).toEqual([false, true]);
});
