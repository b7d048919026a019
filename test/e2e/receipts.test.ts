import { chmodSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { KeptReceipts } from '../../electron/storage/receiptStore';
import { fakePython } from '../unit/electron/measure/fakePython';
import { savedPlan } from '../unit/shared/receipts/builders';
import { callFromPage, valueOf } from './harness/calls';
import { launchApp, type RunningApp } from './harness/launchApp';
import { PlanPage } from './pages/PlanPage';
import { WorkstationPage } from './pages/WorkstationPage';

const GiB = 2 ** 30;
const rank = {
  allocatedPeakBytes: 58 * GiB,
  reservedPeakBytes: 59 * GiB,
  contextBytes: GiB,
  processBytes: 60 * GiB,
};
const plan = { ...savedPlan(8), name: 'llama-1b', ranks: Array.from({ length: 8 }, () => rank) };
const files = {
  'receipts.json': JSON.stringify({ version: 1, plans: [{ plan, savedAt: 1 }], ties: [], receipts: [] }),
};

const keptIn = (app: RunningApp): KeptReceipts =>
  JSON.parse(readFileSync(path.join(app.userData.folder, 'receipts.json'), 'utf8')) as KeptReceipts;

test('a job is compared with a saved plan: in its row, its chart, and a receipt that outlives the app', async () => {
  const app = await launchApp({ scene: 'eight-healthy', files });
  const page = new WorkstationPage(app.window);
  await page.waitForCards();
  const job = page.row(/^pretrain\.py/);
  await job.getByRole('button', { name: 'Compare with plan…' }).click();
  const dialog = app.window.getByRole('dialog', { name: 'Compare with a plan' });
  await dialog.getByRole('button', { name: /^llama-1b 480\.0 GiB on 8 cards/ }).click();
  await expect.poll(() => job.innerText()).toContain('planned 480.0 GiB, now 479.9 GiB');
  await page.cardRow(2).getByRole('button').first().click();
  await app.window.getByText('planned 60.0 GiB', { exact: true }).waitFor();
  await app.screenshot('planned over live');

  const receiptsOf = async () => (await valueOf(app, 'receipts.read', null)).receipts;
  await expect
    .poll(async () =>
      (await receiptsOf())[0]?.ranks.map(({ processBytes }) => Math.round((processBytes ?? 0) / GiB)),
    )
    .toEqual([60, 60, 60, 60, 60, 60, 60, 60]);
  expect(await receiptsOf()).toMatchObject([{ name: 'llama-1b', simulated: true, end: 'running' }]);

  await valueOf(app, 'scenes.choose', { sceneId: 'two-3090-oom' });
  await expect.poll(async () => (await receiptsOf())[0]?.end).toBe('unseen');
  await app.quit();
  expect(keptIn(app).receipts).toMatchObject([{ name: 'llama-1b', end: 'unseen' }]);
  expect(app.complaints()).toEqual([]);
});

test('a plan is measured with the person’s own Python: asked first, run, kept as a receipt, and deleted', async () => {
  const python = fakePython({ cards: 2 });
  chmodSync(path.dirname(python), 0o777); // The app may run as another user.
  const app = await launchApp({ scene: 'two-3090-oom' });
  const page = new PlanPage(app.window);
  await page.open();
  await page.showPart('Runs');
  const begin = app.window.getByRole('button', { name: 'Measure two steps…' });
  await begin.waitFor();

  // Called off once: Cancel is what Enter and Escape choose, and nothing was started.
  await app.dialogs.answerNext(python);
  await begin.click();
  await expect
    .poll(async () => (await app.dialogs.asked()).map(({ id }) => id))
    .toEqual(['choose-python', 'measure']);
  await app.window.getByText(`Python: ${python}`).waitFor();
  expect(existsSync(path.join(path.dirname(python), 'environment'))).toBe(false);
  const question = (await app.dialogs.asked())[1];
  expect(question?.safeButtonId).toBe('cancel');
  expect(question?.detail).toContain(python);
  expect(question?.detail).toContain('train.py --steps 2 --report-every 1');

  await app.dialogs.answerNext('measure');
  await begin.click();
  await app.window.getByText(/Measured: the allocator peaked at .* \(\+1\.2 %\)\./).waitFor();
  const table = app.window.getByRole('table', { name: 'Runs of this plan' });
  await expect.poll(() => table.innerText()).toMatch(/measured here[^]*\+1\.2 %/);
  await app.screenshot('measured');
  await table.getByRole('button', { name: /^Delete the receipt/ }).click();
  await app.window.getByText(/No run of this plan has been seen yet/).waitFor();

  await valueOf(app, 'settings.change', { readOnly: true });
  await expect.poll(() => begin.isDisabled()).toBe(true);
  expect(await callFromPage(app, 'measure.start', { plan: null as never, gpuIndices: null })).toMatchObject({
    ok: false,
    code: 'bad-argument',
  });
  expect(app.complaints()).toEqual([]);
});
