import { fireEvent, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { flushSync } from 'svelte';
import { expect, test, vi } from 'vitest';
import type { Snapshot } from '../../shared/alerts/snapshot';
import type { Job } from '../../shared/jobs/types';
import { GiB } from '../../shared/units';
import { jobNames, jobRow, textOf, textsIn } from './support/queries';
import { expectAccessible, renderApp, settle, type RenderedApp } from './support/renderApp';
import { eightCards } from './support/scenes';
import { card, job, member, noon, snapshot } from './support/snapshots';

const small = job('1-1', [member(11, [[0, 2 * GiB]])], { title: 'small.py', user: 'bo' });
const middle = job('2-1', [member(22, [[0, 4 * GiB]])], { title: 'middle.py', startedAt: noon - 400 });
const large = job(
  '3-1',
  [
    member(30, [], { role: 'launcher', process: { command: ['torchrun', 'large.py'] } }),
    member(31, [[0, 8 * GiB]], { role: 'rank', rank: 0 }),
    member(32, [[1, 8 * GiB]], { role: 'rank', rank: 1, process: { state: 'Z' } }),
  ],
  { title: 'large.py', kind: 'torchrun', worldSize: 2 },
);

function at(seconds: number, jobs: readonly Job[]): Snapshot {
  return snapshot({ time: noon + seconds, cards: [card(0), card(1)], jobs });
}

const threeJobs = () => renderApp(at(0, [small, middle, large]));

/** Sends a Snapshot and lets it be drawn. */
async function push({ bridge }: RenderedApp, next: Snapshot): Promise<void> {
  bridge.push(next);
  await settle();
}

const titles = (): string[] =>
  jobNames()
    .map((name) => /^\w+\.py/.exec(name)?.[0] ?? null)
    .filter((name) => name !== null);
const selected = (): string => textOf(document.querySelector('[aria-selected="true"] td.name'));

test('jobs are listed by memory, each with its processes in the order of their ranks', async () => {
  const { container } = await threeJobs();
  expect(jobNames()).toEqual([
    'large.py torchrun · 2 ranks',
    'launcher pid 30 torchrun large.py',
    'rank 0 pid 31 python train.py',
    'rank 1 pid 32 python train.py',
    'middle.py 1 process',
    'process pid 22 python train.py',
    'small.py 1 process',
    'process pid 11 python train.py',
  ]);
  expect(textsIn(jobRow(/^large/))).toEqual([
    'large.py torchrun · 2 ranks',
    '0, 1',
    '16.0',
    '6.0',
    '303 %',
    'ada',
    '40 sec',
    'running',
  ]);
  expect(textsIn(jobRow(/^launcher/)).slice(1, 4)).toEqual(['', '', '2.0']);
  expect(textOf(jobRow(/^rank 1/))).toContain('zombie, ended but not collected by its parent');
  await expectAccessible(container);
});

test('a header sorts, a second press turns the order round, and the list says which', async () => {
  const user = userEvent.setup();
  await threeJobs();
  await user.click(screen.getByRole('button', { name: 'Job' }));
  expect(titles()).toEqual(['large.py', 'middle.py', 'small.py']);
  expect(screen.getByRole('columnheader', { name: 'Job' }).getAttribute('aria-sort')).toBe('ascending');
  await user.click(screen.getByRole('button', { name: 'Job' }));
  expect(titles()).toEqual(['small.py', 'middle.py', 'large.py']);
  await user.click(screen.getByRole('button', { name: 'Age' }));
  expect(titles()).toEqual(['middle.py', 'small.py', 'large.py']);
  await user.selectOptions(screen.getByRole('combobox', { name: 'Sort by' }), 'user');
  expect(titles()).toEqual(['middle.py', 'large.py', 'small.py']);
});

test('the filter finds names, users, pids and commands, and every word must be found', async () => {
  const user = userEvent.setup();
  const { container } = await threeJobs();
  const field = screen.getByRole('searchbox', { name: 'Filter' });
  await user.type(field, 'bo');
  expect(titles()).toEqual(['small.py']);
  await user.clear(field);
  await user.type(field, 'TORCHRUN 32');
  expect(titles()).toEqual(['large.py']);
  await user.type(field, ' nothing');
  expect(screen.getByText('No job matches “TORCHRUN 32 nothing”.')).toBeTruthy();
  await expectAccessible(container);
  await user.click(screen.getByRole('button', { name: 'Clear the filter' }));
  expect(titles()).toEqual(['large.py', 'middle.py', 'small.py']);
});

test('Escape leaves the filter and keeps what was typed', async () => {
  const user = userEvent.setup();
  await threeJobs();
  await user.keyboard('/');
  const field = screen.getByRole<HTMLInputElement>('searchbox');
  expect(document.activeElement).toBe(field);
  await user.keyboard('small{Escape}');
  expect(document.activeElement).toBe(document.body);
  expect(field.value).toBe('small');
  expect(titles()).toEqual(['small.py']);
});

test('the keyboard moves, opens and closes rows', async () => {
  const user = userEvent.setup();
  await threeJobs();
  jobRow(/^large/).focus();
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(selected()).toBe('rank 0 pid 31 python train.py');
  expect(document.activeElement).toBe(jobRow(/^rank 0/));
  await user.keyboard('{ArrowLeft}');
  expect(selected()).toBe('large.py torchrun · 2 ranks');
  await user.keyboard('{ArrowLeft}');
  expect(jobRow(/^large/).getAttribute('aria-expanded')).toBe('false');
  expect(jobNames()).toHaveLength(5);
  await user.keyboard('{End}');
  expect(selected()).toBe('process pid 11 python train.py');
  await user.keyboard('{Home}{Enter}');
  expect(jobRow(/^large/).getAttribute('aria-expanded')).toBe('true');
  await user.keyboard('{ArrowUp}');
  expect(selected()).toBe('large.py torchrun · 2 ranks');
});

test('only one row is in the tab order', async () => {
  const user = userEvent.setup();
  await threeJobs();
  const stops = () => [...document.querySelectorAll('[role="treegrid"] tbody [tabindex="0"]')];
  expect(stops()).toEqual([jobRow(/^large/)]);
  await user.click(jobRow(/^middle/));
  expect(stops()).toEqual([jobRow(/^middle/)]);
});

test('Space on a row opens it and does not pause the view', async () => {
  const user = userEvent.setup();
  const { state } = await threeJobs();
  jobRow(/^large/).focus();
  await user.keyboard(' ');
  expect(jobRow(/^large/).getAttribute('aria-expanded')).toBe('false');
  expect(state.snapshots.paused).toBe(false);
});

test('nothing jumps while the pointer is in the table, and all is in order afterwards', async () => {
  const user = userEvent.setup();
  const app = await threeJobs();
  await user.hover(screen.getByRole('treegrid'));
  const grown = { ...small, memoryBytes: 20 * GiB };
  const fresh = job('4-1', [member(44, [[1, 30 * GiB]])], { title: 'fresh.py' });
  await push(app, at(1, [grown, fresh, large]));
  expect(titles()).toEqual(['large.py', 'middle.py', 'small.py', 'fresh.py']);
  expect(textsIn(jobRow(/^small/))[2]).toBe('20.0');
  expect(textsIn(jobRow(/^middle/)).at(-1)).toBe('ended');
  await user.unhover(screen.getByRole('treegrid'));
  await settle();
  expect(titles()).toEqual(['fresh.py', 'small.py', 'large.py']);
});

test('nothing jumps while the focus is in the table', async () => {
  const app = await threeJobs();
  jobRow(/^small/).focus();
  await settle();
  await push(app, at(1, [{ ...small, memoryBytes: 20 * GiB }, middle, large]));
  expect(titles()).toEqual(['large.py', 'middle.py', 'small.py']);
  jobRow(/^small/).blur();
  await settle();
  expect(titles()).toEqual(['small.py', 'large.py', 'middle.py']);
});

test('a pointer that was left in the table holds nothing any more', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const app = await threeJobs();
    await fireEvent.pointerEnter(screen.getByRole('treegrid').closest('.hold') ?? document.body);
    await fireEvent.pointerMove(screen.getByRole('treegrid'));
    app.bridge.push(at(1, [small, large]));
    flushSync();
    expect(titles()).toEqual(['large.py', 'middle.py', 'small.py']);
    vi.advanceTimersByTime(31_000);
    flushSync();
    expect(titles()).toEqual(['large.py', 'small.py']);
    await fireEvent.pointerMove(screen.getByRole('treegrid'));
    app.bridge.push(at(2, [large]));
    flushSync();
    expect(titles()).toEqual(['large.py', 'small.py']);
  } finally {
    vi.useRealTimers();
  }
});

test('a selected process that ends stays, marked as ended, until something else is selected', async () => {
  const user = userEvent.setup();
  const app = await threeJobs();
  await user.click(jobRow(/^rank 1/));
  const [launcher, first] = large.members;
  if (launcher === undefined || first === undefined) throw new Error('the job has three members');
  await push(app, at(1, [small, middle, { ...large, members: [launcher, first] }]));
  await user.unhover(screen.getByRole('treegrid'));
  jobRow(/^rank 1/).blur();
  await settle();
  expect(selected()).toBe('rank 1 pid 32 python train.py');
  expect(textsIn(jobRow(/^rank 1/)).at(-1)).toBe('ended');
  await push(app, at(2, [small, middle]));
  expect(selected()).toBe('rank 1 pid 32 python train.py');
  expect(textsIn(jobRow(/^large/)).at(-1)).toBe('ended');
  await user.click(jobRow(/^small/));
  await user.unhover(screen.getByRole('treegrid'));
  jobRow(/^small/).blur();
  await settle();
  expect(titles()).toEqual(['middle.py', 'small.py']);
});

test('a selected job of a scene that was left does not stay as ended: it was never on this machine', async () => {
  const app = await threeJobs();
  jobRow(/^small/).focus();
  await settle();
  const next = at(1, [job('9-1', [member(90, [[0, 4 * GiB]])], { title: 'other.py' })]);
  await push(app, { ...next, source: { kind: 'simulated', sceneId: 'slow-leak' } });
  expect(titles()).toEqual(['other.py']);
});

test('many data-loader workers share one row that opens', async () => {
  const user = userEvent.setup();
  const { container } = await renderApp(eightCards());
  expect(jobNames().filter((name) => name.startsWith('data-loader worker'))).toEqual([]);
  const folded = jobRow(/^48 data-loader workers/);
  expect(textsIn(folded).slice(1, 5)).toEqual(['', '', '42.2', '576 %']);
  expect(jobNames()).toHaveLength(3 + 9 + 1 + 1 + 1);
  folded.focus();
  await user.keyboard('{ArrowRight}{ArrowRight}');
  expect(selected()).toBe('data-loader worker pid 5200 python train.py');
  await user.keyboard('{ArrowLeft}');
  expect(selected()).toBe('48 data-loader workers');
  await expectAccessible(container);
});

test('workers that end while somebody looks keep their row, with their number', async () => {
  const work = job(
    '4-1',
    [member(40, [[0, GiB]]), ...[41, 42, 43].map((pid) => member(pid, [], { role: 'worker' }))],
    { title: 'work.py' },
  );
  const app = await renderApp(at(0, [work]));
  expect(textsIn(jobRow(/^3 data-loader workers/)).at(-1)).toBe('');
  jobRow(/^work/).focus();
  await settle();
  await push(app, at(1, []));
  expect(textsIn(jobRow(/^3 data-loader workers/)).at(-1)).toBe('ended');
});

test('an alert’s destination selects its job and clears a filter that would hide it', async () => {
  const app = await threeJobs();
  app.state.workstation.filter = 'small';
  app.bridge.emit('navigate', { place: 'workstation', gpuIndex: null, jobId: '2-1' });
  await settle();
  expect(selected()).toBe('middle.py 1 process');
});
