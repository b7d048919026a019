import { expect, test } from 'vitest';
import { jobMarks } from '../../../../../shared/gpu/history/jobMarks';
import { snapshotAt } from './support';

const none: ReadonlySet<string> = new Set();
const cards = [
  { index: 0, usedMiB: 1 },
  { index: 1, usedMiB: 1 },
];
const before = snapshotAt(10, cards, [
  { id: 'a', title: 'train a', on: { 1: 5, 0: 5 } },
  { id: 'b', title: 'train b', on: { 0: 5 } },
  { id: 'd', kind: 'desktop', on: { 0: 1 } },
]);

test('the first Snapshot of a run marks nothing', () => {
  expect(jobMarks(null, before, none)).toEqual([]);
});

test('what began and what ended, with the cards it held', () => {
  const after = snapshotAt(11, cards, [
    { id: 'b', title: 'train b', on: { 0: 5 } },
    { id: 'c', title: 'train c', on: { 1: 2 } },
    { id: 'e', kind: 'desktop', on: { 0: 1 } },
  ]);
  expect(jobMarks(before, after, none)).toEqual([
    { time: 11, kind: 'ended', jobId: 'a', title: 'train a', gpuIndices: [0, 1] },
    { time: 11, kind: 'started', jobId: 'c', title: 'train c', gpuIndices: [1] },
  ]);
});

test('a job that was killed is marked so', () => {
  expect(
    jobMarks(before, snapshotAt(11, cards, []), new Set(['b'])).map(({ jobId, kind }) => [jobId, kind]),
  ).toEqual([
    ['a', 'ended'],
    ['b', 'killed'],
  ]);
});

test('nothing changed, nothing marked; a job without a card is not marked', () => {
  expect(jobMarks(before, before, none)).toEqual([]);
  expect(
    jobMarks(
      before,
      snapshotAt(11, cards, [
        ...[],
        { id: 'a', on: { 0: 1 } },
        { id: 'b', on: { 0: 1 } },
        { id: 'x', on: {} },
      ]),
      none,
    ),
  ).toEqual([]);
});
