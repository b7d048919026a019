import { screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { memorySeries } from '../../renderer/charts/memorySeries';
import { plannedLines } from '../../renderer/charts/plannedLine';
import type { CardHistory } from '../../shared/snapshot/history/history';
import type { ReceiptsState } from '../../shared/receipts/state';
import { message } from '../../shared/i18n/message';
import { GiB } from '../../shared/units';
import { savedPlan } from '../unit/shared/receipts/builders';
import { jobRow, textOf } from './support/queries';
import { expectAccessible, renderApp, settle } from './support/renderApp';
import { card, job, member, noon, snapshot } from './support/snapshots';

const plan = savedPlan();
const other = savedPlan(2, { id: 'ffffffffffffffff', name: 'qwen-7b' });
const trained = job('1-1', [member(11, [[0, 20 * GiB]], { role: 'rank', rank: 0 })], { title: 'train.py' });
const shown = snapshot({
  time: noon,
  cards: [card(0, { memoryUsedBytes: 20 * GiB }), card(1)],
  jobs: [trained],
});
const known = (more: Partial<ReceiptsState>): ReceiptsState => ({
  plans: [plan, other].map((one) => ({ plan: one, savedAt: noon - 3600 })),
  ties: [],
  receipts: [],
  notice: null,
  ...more,
});
const tied = known({ ties: [{ jobId: '1-1', planId: plan.id, by: 'launch' }] });
const render = (receipts: ReceiptsState) =>
  renderApp(shown, { prepare: (bridge) => (bridge.receipts = receipts) });

const past: CardHistory = {
  gpuIndex: 0,
  times: [0, 10, 20, 30],
  usedBytes: [2, 9, null, 9],
  usedMinBytes: [2, 9, null, 9],
  usedMaxBytes: [2, 9, null, 9],
  utilizationPercent: [0, 0, 0, 0],
  jobs: [
    { jobId: 'a', title: 'below.py', usedBytes: [2, 2, 2, 2] },
    { jobId: 'b', title: 'train.py', usedBytes: [null, 6, 6, 7] },
  ],
};

test('a planned line lies on the layers below its job, only where the job holds memory', () => {
  const series = memorySeries(past, () => ({ kind: 'colour', colour: 0 }), 'rest');
  const planned = { jobId: 'b', title: 'train.py', label: 'train.py, planned', bytes: 8 };
  expect(plannedLines(series, [planned])[0]?.points.map(({ y }) => y)).toEqual([NaN, 10, NaN, 10]);
  expect(plannedLines(series, [{ ...planned, jobId: 'gone' }])).toEqual([]);
});

test('a tied job says what was planned, in its row, the chart’s legend and its words, and the table', async () => {
  const { container } = await render(tied);
  expect(textOf(jobRow(/^train/))).toContain('planned 21.5 GiB, now 20.0 GiB');
  expect(
    jobRow(/^train/)
      .querySelector('.planned')
      ?.getAttribute('title'),
  ).toBe('planned 21.5 GiB, now 20.0 GiB. Started from the files of the plan llama-2-13b.');
  const legend = screen.getByText('planned 21.5 GiB').parentElement;
  expect([textOf(legend), legend?.title]).toEqual([
    'train.py planned 21.5 GiB',
    'train.py, planned 21.5 GiB',
  ]);
  const chart = screen.getByRole('img', { name: /^Memory of card 0/ });
  expect(chart.getAttribute('aria-label')).toMatch(/Planned for train\.py: 21\.5 GiB\.$/);
  expect(screen.getByRole('img', { name: /^Memory of card 1/ }).getAttribute('aria-label')).not.toMatch(
    /Planned/,
  );
  await expectAccessible(container);
  await userEvent.click(screen.getByRole('radio', { name: 'Table' }));
  const [table] = screen.getAllByRole('table', { name: /card 0/i });
  expect(
    within(table as HTMLElement).getByRole('columnheader', { name: 'train.py, planned (GiB)' }),
  ).toBeTruthy();
});

test('without a plan there is no word of plans, and nothing to choose', async () => {
  await render(known({ plans: [] }));
  expect(screen.queryByRole('button', { name: 'Compare with plan…' })).toBeNull();
  expect(document.body.textContent).not.toContain('planned');
});

test('a person ties a job to a plan and takes it back', async () => {
  const { bridge } = await render(known({}));
  await userEvent.click(screen.getByRole('button', { name: 'Compare with plan…' }));
  const dialog = screen.getByRole('dialog', { name: 'Compare with a plan', hidden: true });
  expect(textOf(dialog)).toContain('Which plan does train.py follow?');
  const choices = within(dialog).getAllByRole('button', { hidden: true }).map(textOf);
  expect(choices.slice(1)).toEqual([
    expect.stringMatching(
      /^llama-2-13b 21\.5 GiB on one card lora, single, bf16, adamw-fused, micro-batch 1, 4 a step, 1,024 tokens saved Nov/,
    ),
    expect.stringMatching(/^qwen-7b 43\.0 GiB on 2 cards/),
  ]);
  await userEvent.click(within(dialog).getByRole('button', { name: /^llama/, hidden: true }));
  await settle();
  expect(bridge.calls.at(-1)).toEqual({ name: 'receipts.tie', argument: { jobId: '1-1', planId: plan.id } });
  expect(textOf(jobRow(/^train/))).toContain('planned 21.5 GiB');

  await userEvent.click(screen.getByRole('button', { name: 'Compare with plan…' }));
  const again = screen.getByRole('dialog', { name: 'Compare with a plan', hidden: true });
  expect(within(again).getByRole('button', { current: true, hidden: true }).textContent).toContain('llama');
  await userEvent.click(within(again).getByRole('button', { name: 'No plan', hidden: true }));
  await settle();
  expect(bridge.calls.at(-1)).toEqual({ name: 'receipts.tie', argument: { jobId: '1-1', planId: null } });
  expect(textOf(jobRow(/^train/))).not.toContain('planned');
});

test('a refused choice says why, and the list stays open for another', async () => {
  const { bridge } = await render(known({}));
  bridge.answers['receipts.tie'] = () => ({
    ok: false,
    code: 'not-found',
    message: message('receipts.cannotTie'),
  });
  await userEvent.click(screen.getByRole('button', { name: 'Compare with plan…' }));
  const dialog = screen.getByRole('dialog', { name: 'Compare with a plan', hidden: true });
  await userEvent.click(within(dialog).getByRole('button', { name: /^llama/, hidden: true }));
  await settle();
  expect(within(dialog).getByRole('alert', { hidden: true }).textContent).toBe(
    'The job or the plan is no longer there.',
  );
});

test('news from main change what is shown', async () => {
  const { bridge } = await render(known({}));
  bridge.emit('receipts', tied);
  await settle();
  expect(textOf(jobRow(/^train/))).toContain('planned 21.5 GiB, now 20.0 GiB');
});
