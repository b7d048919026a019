import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { filterJobs } from '../../renderer/workstation/jobFilter';
import { listJobs, type ListedJob, type ListWish } from '../../renderer/workstation/jobList';
import { rowAction, tableRows } from '../../renderer/workstation/jobRows';
import { GiB } from '../../shared/units';
import { job, member } from './support/snapshots';

const words = { rank: ['rank', '秩'], card: ['card', '显卡', '卡'], pid: ['pid', '进程'] };
const wish = (over: Partial<ListWish> = {}): ListWish => ({
  sort: { key: 'memory', descending: true },
  held: false,
  selected: null,
  ...over,
});
const one = (id: string, gib: number | null) =>
  job(id, [member(Number(id), [[0, gib === null ? null : gib * GiB]])]);
const ids = (listed: readonly ListedJob[]) => listed.map((entry) => entry.job.id);

test('unknown sizes come last in both directions', () => {
  const jobs = [one('1', null), one('2', 5), one('3', 9)];
  expect(ids(listJobs([], jobs, wish()))).toEqual(['3', '2', '1']);
  const upwards = wish({ sort: { key: 'memory', descending: false } });
  expect(ids(listJobs([], jobs, upwards))).toEqual(['2', '3', '1']);
});

test('the same pid with another start time is another process', () => {
  const first = job('1', [member(7, [], { process: { startTime: 100 } })]);
  const again = job('1', [member(7, [], { process: { startTime: 200 } })]);
  const before = listJobs([], [first], wish());
  const after = listJobs(before, [again], wish({ held: true }));
  expect(after[0]?.members.map(({ key, ended }) => [key, ended])).toEqual([
    ['1/7-100', true],
    ['1/7-200', false],
  ]);
});

test('a job that comes back under its id is running again', () => {
  const before = listJobs([], [one('1', 1)], wish());
  const gone = listJobs(before, [], wish({ held: true }));
  expect(gone.map(({ ended }) => ended)).toEqual([true]);
  expect(listJobs(gone, [one('1', 1)], wish({ held: true })).map(({ ended }) => ended)).toEqual([false]);
});

const jobSets = fc
  .uniqueArray(fc.nat(9), { maxLength: 8 })
  .map((numbers) => numbers.map((id) => one(String(id), id)));

test('while held no row that was listed moves or vanishes', () => {
  fc.assert(
    fc.property(jobSets, jobSets, (first, second) => {
      const before = listJobs([], first, wish());
      const after = listJobs(before, second, wish({ held: true }));
      expect(ids(after).slice(0, before.length)).toEqual(ids(before));
    }),
  );
});

test('when nobody holds it, the list has exactly the jobs of now', () => {
  fc.assert(
    fc.property(jobSets, jobSets, (first, second) => {
      const held = listJobs(listJobs([], first, wish()), second, wish({ held: true }));
      const after = listJobs(held, second, wish());
      expect([...ids(after)].sort()).toEqual(second.map(({ id }) => id).sort());
      expect(after.every(({ ended }) => !ended)).toBe(true);
    }),
  );
});

test('any filter text is taken as words, never as a pattern', () => {
  fc.assert(
    fc.property(jobSets, fc.string(), (jobs, text) => {
      const listed = listJobs([], jobs, wish());
      expect(filterJobs(listed, text, words).length).toBeLessThanOrEqual(listed.length);
    }),
  );
  const listed = listJobs([], [one('5', 1)], wish());
  expect(filterJobs(listed, '.*', words)).toEqual([]);
  expect(filterJobs(listed, '  TRAIN.py  5 ', words)).toEqual(listed);
});

test('two workers are listed, three share a row', () => {
  const withWorkers = (count: number) =>
    job('1', [
      member(1, [[0, GiB]], { role: 'rank', rank: 0 }),
      ...Array.from({ length: count }, (_, index) => member(10 + index, [], { role: 'worker' })),
    ]);
  const kinds = (count: number, toggled: readonly string[]) =>
    tableRows(listJobs([], [withWorkers(count)], wish()), new Set(toggled)).map(
      (row) => `${row.kind}${row.kind === 'member' ? row.level : ''}`,
    );
  expect(kinds(2, [])).toEqual(['job', 'member2', 'member2', 'member2']);
  expect(kinds(3, [])).toEqual(['job', 'member2', 'workers']);
  expect(kinds(3, ['1/workers'])).toEqual(['job', 'member2', 'workers', 'member3', 'member3', 'member3']);
  expect(kinds(3, ['1'])).toEqual(['job']);
});

test('keys at the ends of the table stay there, and other keys are not taken', () => {
  const rows = tableRows(listJobs([], [one('1', 1)], wish()), new Set());
  expect(rowAction(rows, '1', 'ArrowUp')).toEqual({ kind: 'select', key: '1' });
  expect(rowAction(rows, '1/1-10', 'ArrowDown')).toEqual({ kind: 'select', key: '1/1-10' });
  expect(rowAction(rows, '1', 'a')).toBeNull();
  expect(rowAction(rows, 'gone', 'ArrowDown')).toBeNull();
});

/** Six ranks on six cards, of which the last also runs a worker, and a job of somebody else. */
const six = job('6', [
  ...Array.from({ length: 6 }, (_, rank) => member(100 + rank, [[rank, GiB]], { role: 'rank', rank })),
  member(200, [], { role: 'worker', rank: 5 }),
]);
const other = job('7', [member(55, [[7, GiB]], { process: { user: 'bob' } })], {
  title: 'eval.py',
  user: 'bob',
});

test.each<[string, readonly number[]]>([
  ['rank 5', [105, 200]],
  ['Rank=5', [105, 200]],
  ['rank5', [105, 200]],
  ['5 号 rank', [105, 200]],
  ['秩 5', [105, 200]],
  ['rank 50', []],
  ['card 3', [103]],
  ['显卡 3', [103]],
  ['3号卡', [103]],
  ['pid 55', [55]],
  ['进程 55', [55]],
  ['bob', [55]],
  ['105', [105]],
  ['rank 0 rank 1', [100, 101]],
  ['train.py rank 2', [102]],
  ['2g.20gb', [101]],
])('the filter %s finds its processes', (filter, pids) => {
  const found = filterJobs(listJobs([], [six, other], wish()), filter, words, new Map([[101, '2g.20gb']]));
  expect(found.flatMap(({ members }) => members.map(({ member: one }) => one.process.pid)).sort()).toEqual(
    pids,
  );
});

test('a job that is meant by its name stays whole', () => {
  const listed = listJobs([], [six, other], wish());
  expect(filterJobs(listed, 'eval', words)).toEqual([listed.find(({ job: one }) => one.id === '7')]);
});
