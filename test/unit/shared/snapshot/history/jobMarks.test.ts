import { expect, test } from 'vitest';
import { jobMarks } from '../../../../../shared/snapshot/history/jobMarks';
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

test('workers that outlive their process for a moment are no job of their own', () => {
  const desktop = {
    ...{ pid: 9, gpuIndex: 0, gpuUuid: null, type: 'G', name: 'Xorg', usedBytes: 1 },
    ...{ gpuInstance: null, computeInstance: null },
  };
  const at = (time: number, jobs: Parameters<typeof snapshotAt>[2]) => ({
    ...snapshotAt(time, cards, jobs),
    processes: [desktop],
  });
  const running = at(10, [{ id: 'a', title: 'train.py', pid: 20, on: { 0: 5 }, helpers: [21] }]);
  // The worker inherited the open devices of both cards, and the job has its id now.
  const left = at(11, [{ id: 'b', title: 'pt_data_worker', pid: 21, on: { 0: null, 1: null } }]);
  const gone = at(12, []);
  expect(jobMarks(running, left, none)).toEqual([
    { time: 11, kind: 'ended', jobId: 'a', title: 'train.py', gpuIndices: [0] },
  ]);
  expect(jobMarks(left, gone, none)).toEqual([]);
});

test('ranks that outlive their launcher go on; a job whose first process comes to hold memory has begun', () => {
  const ranks = snapshotAt(10, cards, [{ id: 'a', pid: 20, on: { 0: 5 } }]);
  const orphans = snapshotAt(11, cards, [{ id: 'b', pid: 20, on: { 0: 5 } }]);
  expect(jobMarks(ranks, orphans, none)).toEqual([]);
  const loading = snapshotAt(10, cards, [{ id: 'a', on: {} }]);
  const loaded = snapshotAt(11, cards, [{ id: 'a', on: { 1: 5 } }]);
  expect(jobMarks(loading, loaded, none).map(({ kind, gpuIndices }) => [kind, gpuIndices])).toEqual([
    ['started', [1]],
  ]);
});
