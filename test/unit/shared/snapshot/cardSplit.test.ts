import { expect, test } from 'vitest';
import { emptyCard } from '../../../../shared/gpu/smi/card';
import { jobBytesOnCard, splitCard, splitSlice } from '../../../../shared/snapshot/cardSplit';
import type { Job, JobMember } from '../../../../shared/jobs/types';
import { plainJob } from '../contract/typedSnapshot';
import { facts } from '../jobs/facts';

/** A job of one process for each card; only what the split reads. */
function job(
  id: string,
  places: readonly (readonly [number, number | null])[],
  over: Partial<Job> = {},
): Job {
  const members = places.map(([gpuIndex, usedBytes]): JobMember => ({
    process: facts({ pid: Number(id) }),
    role: 'process',
    rank: null,
    origin: 'started',
    listed: true,
    cards: [{ gpuIndex, usedBytes }],
  }));
  return plainJob(id, members, { title: `${id}.py`, user: 'ada', ...over });
}

const card = { ...emptyCard(), index: 0, memoryTotalBytes: 100, memoryUsedBytes: 60, memoryReservedBytes: 4 };

test('a card is split by job in the order of the ids, the rest is unattributed', () => {
  const split = splitCard(card, [
    job('9', [[0, 10]], { kind: 'desktop' }),
    job('1', [
      [0, 20],
      [1, 50],
    ]),
    job('5', [[0, 25]], { ownedByMe: false, user: 'grace' }),
  ]);
  expect(split.parts.map(({ jobId, kind, bytes }) => [jobId, kind, bytes])).toEqual([
    ['1', 'job', 20],
    ['5', 'otherUser', 25],
    ['9', 'desktop', 10],
  ]);
  expect(split).toMatchObject({ unattributedBytes: 5, usedBytes: 60, totalBytes: 100, reservedBytes: 4 });
});

test('processes that hold more than the card said a moment ago leave nothing over', () => {
  expect(splitCard(card, [job('1', [[0, 70]])]).unattributedBytes).toBe(0);
});

test('unknown stays unknown: the use of the card, the size of a process, a total of 0', () => {
  const split = splitCard({ ...card, memoryUsedBytes: null, memoryTotalBytes: 0 }, [job('1', [[0, null]])]);
  expect(split).toMatchObject({ parts: [], unattributedBytes: null, usedBytes: null, totalBytes: null });
  expect(jobBytesOnCard(job('1', [[0, null]]), 0)).toBeNull();
  expect(
    jobBytesOnCard(
      job('1', [
        [0, null],
        [0, 5],
      ]),
      0,
    ),
  ).toBe(5);
  expect(jobBytesOnCard(job('1', [[0, 5]]), 3)).toBe(0);
});

test('an owner that is not known is not taken for another user', () => {
  expect(splitCard(card, [job('1', [[0, 1]], { ownedByMe: null })]).parts[0]?.kind).toBe('job');
});

test('a MIG slice is split by the processes that nvidia-smi lists in it', () => {
  const slice = {
    index: 0,
    uuid: null,
    profile: null,
    gpuInstance: 3,
    computeInstance: 0,
    memoryTotalBytes: 40,
    memoryUsedBytes: 12,
  };
  const process = (pid: number, gpuInstance: number | null, usedBytes: number) => ({
    gpuIndex: 0,
    gpuUuid: null,
    pid,
    type: 'C',
    name: null,
    usedBytes,
    gpuInstance,
    computeInstance: 0,
  });
  const split = splitSlice(
    slice,
    0,
    [process(1, 3, 10), process(2, 4, 7), process(8, null, 9)],
    [job('1', [[0, 10]]), job('2', [[0, 7]]), job('8', [[0, 9]])],
  );
  expect(split.parts.map(({ jobId, bytes }) => [jobId, bytes])).toEqual([['1', 10]]);
  expect(split).toMatchObject({ unattributedBytes: 2, totalBytes: 40, reservedBytes: null });
});
