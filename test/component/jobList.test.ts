import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { filterJobs, listJobs, type ListedJob, type ListWish } from '../../renderer/workstation/jobList';
import { rowAction, tableRows } from '../../renderer/workstation/jobRows';
import { GiB } from '../../shared/units';
import { job, member } from './support/snapshots';

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
      expect(filterJobs(listed, text).length).toBeLessThanOrEqual(listed.length);
    }),
  );
  const listed = listJobs([], [one('5', 1)], wish());
  expect(filterJobs(listed, '.*')).toEqual([]);
  expect(filterJobs(listed, '  TRAIN.py  5 ')).toEqual(listed);
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
