import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import type { MeasureRun, MeasureState } from '../../shared/measure/state';
import { message } from '../../shared/i18n/message';
import { planId } from '../../shared/launch/savedPlan';
import type { Receipt } from '../../shared/receipts/types';
import type { DoctorQuestion, DoctorReply } from '../../renderer/doctor/runDoctor';
import { readSource } from '../../renderer/doctor/readSource';
import { AppState } from '../../renderer/state/app.svelte';
import { basePlan } from '../unit/shared/launch/variants';
import { GiB, receipt } from '../unit/shared/receipts/builders';
import PlanRunsInApp from './support/PlanRunsInApp.svelte';
import { installBrowser } from './support/browser';
import { FakeBridge } from './support/fakeBridge';
import { textOf, textsIn } from './support/queries';
import { expectAccessible, settle } from './support/renderApp';
import { card, noon, snapshot } from './support/snapshots';

/** Reads in the page what the worker would read beside it. */
class DirectWorker extends EventTarget {
  postMessage(question: DoctorQuestion): void {
    void readSource(question.source, () => undefined).then((reading) => {
      const reply: DoctorReply = { id: question.id, kind: 'reading', reading };
      this.dispatchEvent(new MessageEvent('message', { data: reply }));
    });
  }
  terminate(): void {
    return;
  }
}
beforeEach(() => void vi.stubGlobal('Worker', DirectWorker));

const id = planId(basePlan);
const runs: readonly Receipt[] = [
  receipt([{ allocatedPeakBytes: 20.24 * GiB }], { id: 'a', planId: id, startedAt: noon, end: 'finished' }),
  receipt([{ processBytes: 21 * GiB }, {}], { id: 'b', planId: id, startedAt: noon - 86_400, end: 'died' }),
  receipt([{}], { id: 'c', planId: id, startedAt: noon - 90_000, source: 'measurement', simulated: true }),
  receipt([{}], { id: 'd', planId: 'ffffffffffffffff' }),
];

async function show(
  receipts: readonly Receipt[],
  measure: MeasureState,
  readOnly = false,
  launch = basePlan,
) {
  installBrowser();
  const bridge = new FakeBridge(snapshot({ time: noon, cards: [card(0)], jobs: [] }), { readOnly });
  bridge.receipts = { plans: [], ties: [], receipts, notice: null };
  bridge.measure = measure;
  const state = new AppState(bridge, 'en');
  const { container } = render(PlanRunsInApp, { props: { state, launch, gpuIndices: [1] } });
  await settle();
  return { bridge, container, state };
}
const running: MeasureRun = {
  kind: 'running',
  planId: id,
  phase: 'measuring',
  startedAt: noon - 75,
  limitSeconds: 600,
  command: '/venv/bin/python train.py --steps 2',
  lines: ['step 1 loss 6.2'],
  stopping: false,
};
const done = (more: Partial<Extract<MeasureRun, { kind: 'done' }>>): MeasureRun => ({
  kind: 'done',
  planId: id,
  level: 'info',
  texts: [message('measure.stopped')],
  output: null,
  ...more,
});

test('the receipts of this plan are listed with what was planned, measured, and the difference', async () => {
  const { bridge, container } = await show(runs, { python: null, run: null });
  const table = screen.getByRole('table', { name: 'Runs of this plan' });
  const rows = within(table).getAllByRole('row').slice(1);
  expect(rows.map((row) => textsIn(row).slice(1, -1))).toEqual([
    ['job on card 0', '20.0 GiB', '20.2 GiB, allocator', '+1.2 %', 'did all its steps'],
    ['job on card 0, 1', '21.5 GiB', '21.0 GiB, process', '−2.3 %', 'vanished from a full card'],
    ['measured here (simulated; nothing is learnt from it)', 'not known yet', 'ended'],
  ]);
  await expectAccessible(container);
  await userEvent.click(
    within(rows[0] as HTMLElement).getByRole('button', { name: /^Delete the receipt of Nov/ }),
  );
  await settle();
  expect(bridge.calls.at(-1)).toEqual({ name: 'receipts.delete', argument: { id: 'a' } });
  expect(within(table).getAllByRole('row')).toHaveLength(3);
});

test('without a run it says how to get one', async () => {
  await show([], { python: null, run: null });
  expect(screen.getByText(/No run of this plan has been seen yet/)).toBeTruthy();
});

test('the person’s own Python is chosen and started through main, on the plan’s cards', async () => {
  const { bridge } = await show([], { python: null, run: null });
  expect(screen.getByText('No Python is chosen yet.')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Choose Python…' }));
  await settle();
  expect(screen.getByText('Python: /home/ada/.venv/bin/python')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Measure two steps…' }));
  expect(bridge.calls.at(-1)).toEqual({
    name: 'measure.start',
    argument: { plan: basePlan, gpuIndices: [1] },
  });
});

test('while it runs its command, its lines and the way to stop it show', async () => {
  const { bridge, container } = await show([], { python: '/venv/bin/python', run: running });
  expect(screen.getByRole('status').textContent).toContain('Running: 75 sec of at most 10 min');
  expect(textOf(screen.getByLabelText('Output'))).toBe(
    '$ /venv/bin/python train.py --steps 2 step 1 loss 6.2',
  );
  expect(screen.getByRole('button', { name: 'Measure two steps…' }).hasAttribute('disabled')).toBe(true);
  await expectAccessible(container);
  await userEvent.click(screen.getByRole('button', { name: 'Stop' }));
  expect(bridge.calls.at(-1)?.name).toBe('measure.stop');
  bridge.emit('measure', { python: '/venv/bin/python', run: { ...running, stopping: true } });
  await settle();
  expect(screen.getByRole('status').textContent).toContain('Stopping…');
});

test('what came of another plan is not told of this one', async () => {
  await show([], { python: null, run: done({ planId: 'ffffffffffffffff' }) });
  expect(screen.queryByText('Stopped before it was done.')).toBeNull();
});

test('read-only mode starts and deletes nothing', async () => {
  await show(runs, { python: '/p', run: null }, true);
  expect(screen.getByRole('button', { name: 'Measure two steps…' }).hasAttribute('disabled')).toBe(true);
  for (const button of screen.getAllByRole('button', { name: /^Delete the receipt/ }))
    expect(button.hasAttribute('disabled')).toBe(true);
});

test('the doctor names the cause of a failed run, which can be opened there', async () => {
  const output =
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.19 GiB is free. Including non-PyTorch memory, this process has 22.48 GiB memory in use. Of the allocated memory 21.90 GiB is allocated by PyTorch, and 110.00 MiB is reserved by PyTorch but unallocated.';
  const failed = done({ level: 'critical', texts: [message('measure.failed', { code: '1' })], output });
  const { state } = await show([], { python: '/p', run: failed });
  expect(screen.getByRole('alert').textContent).toContain('The run failed (exit code 1).');
  await expect
    .poll(() => screen.getByRole('alert').textContent)
    .toMatch(/Most likely: One tensor is nearly as large as the card, or larger\./);
  await userEvent.click(screen.getByRole('button', { name: 'Open in the Doctor' }));
  expect([state.route.place, state.doctor.draft]).toEqual(['doctor', output]);
});

test('a plan that this machine cannot measure says why before anything is asked', async () => {
  const { bridge } = await show([], { python: '/p', run: null }, false, { ...basePlan, method: 'qlora' });
  expect(screen.getByText(/QLoRA quantises weights as it loads them/)).toBeTruthy();
  const button = screen.getByRole('button', { name: 'Measure two steps…' });
  expect(button.hasAttribute('disabled')).toBe(true);
  expect(bridge.calls.some(({ name }) => name === 'measure.start')).toBe(false);
});
