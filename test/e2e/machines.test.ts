import { expect, test } from 'vitest';
import { valueOf } from './harness/calls';
import { launchApp, type RunningApp } from './harness/launchApp';
import { HistoryPanel } from './pages/HistoryPanel';
import { WorkstationPage } from './pages/WorkstationPage';

/** Machines that are large, split, or change while somebody looks. */
const currentOf = (app: RunningApp) => valueOf(app, 'snapshot.current', null);

test('a card lost in mid-run: its band says so and keeps the last reading, the other cards go on', async () => {
  const app = await launchApp({ scene: 'card-lost' });
  const page = new WorkstationPage(app.window);
  await page.waitForCards();
  // Card 2 is lost 12 seconds after the start; its process holds 21,008 MiB.
  await expect.poll(() => page.barText(2)).toContain('train_fold.py 20.5 GiB');

  await expect
    .poll(() => page.cardRow(2).innerText())
    .toContain('Card 2 has fallen off the bus and no longer answers.');
  expect(await page.cardCount()).toBe(4);
  expect(await page.cardRow(2).innerText()).toContain('reboot');
  expect((await page.figures(2))[0]).toMatch(/^20\.5 \/ 24\.0 GiB as of \d\d:\d\d:\d\d$/);
  expect(await page.trouble.count()).toBe(0); // It stands in the band; the other cards are read as before.

  const lostAt = (await currentOf(app))?.cardsReadAt ?? 0;
  await expect.poll(async () => (await currentOf(app))?.cardsReadAt ?? 0).toBeGreaterThan(lostAt + 2);
  for (const [gpuIndex, memory] of [
    [0, '16.9 / 24.0 GiB'], // 17,344 MiB
    [1, '16.9 / 24.0 GiB'],
    [3, '9.6 / 24.0 GiB'], // 9,870 MiB
  ] as const) {
    expect((await page.figures(gpuIndex))[0]).toBe(memory);
    expect(await page.cardRow(gpuIndex).innerText()).not.toContain('bus');
  }
  expect(app.complaints()).toEqual([]);
});

test('a process that ends while its row is selected stays there as ended until the selection moves on', async () => {
  // Begun when the window is there, so that the end comes long after the row was chosen.
  const app = await launchApp({ scene: 'slow-leak' });
  const page = new WorkstationPage(app.window);
  await page.waitForCards();
  await page.chooseScene('card-lost');
  const doomed = page.row(/--fold 2/);
  await doomed.waitFor();
  await doomed.focus();
  expect(await doomed.getAttribute('aria-selected')).toBe('true');

  await expect.poll(() => doomed.innerText()).toContain('ended');
  expect(await doomed.getAttribute('aria-selected')).toBe('true');
  expect(await app.window.evaluate('document.activeElement.dataset.key')).toBe(
    await doomed.getAttribute('data-key'),
  );
  // The last facts stay beside the word; the others still run.
  expect(await doomed.innerText()).toContain('--fold 2');
  expect((await page.cellsOfRow(/--fold 3/))[2]).toBe('9.6');

  await app.window.keyboard.press('End');
  await app.window.keyboard.press('Tab'); // Out of the table, which then sorts and drops what has ended.
  await page.row(/--fold 2/).waitFor({ state: 'detached' });
  expect(app.complaints()).toEqual([]);
});

test('sixteen cards in two columns with the right figures, and the chart of one that is chosen with the keyboard', async () => {
  const app = await launchApp({ scene: 'sixteen-cards' });
  const page = new WorkstationPage(app.window);
  await page.waitForCards();

  expect(await page.cardCount()).toBe(16);
  expect(await app.window.locator('table:has(tr[data-gpu])').count()).toBe(2);
  // Nothing is cut off, and no bar crosses the cards to reach what would be.
  const overflow = () =>
    app.window.evaluate<number>(
      "(() => { const cards = document.querySelector('tr[data-gpu]').closest('section'); return cards.scrollWidth - cards.clientWidth; })()",
    );
  expect(await overflow()).toBe(0);
  await app.electron.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.setContentSize(1100, 720),
  );
  await expect.poll(() => app.window.evaluate<number>('innerWidth')).toBe(1100);
  await expect.poll(() => app.window.locator('table:has(tr[data-gpu])').count()).toBe(2);
  await expect.poll(overflow).toBe(0);

  const expected = [
    ...Array.from({ length: 8 }, () => '70.2 / 79.6 GiB'), // 71,902 of 81,559 MiB
    ...Array.from({ length: 4 }, () => '51.1 / 79.6 GiB'), // 52,318 MiB
    ...Array.from({ length: 2 }, () => '37.6 / 79.6 GiB'), // 38,550 MiB
    ...Array.from({ length: 2 }, () => '23.5 / 79.6 GiB'), // 24,096 MiB
  ];
  await expect.poll(async () => (await page.figures(15))[0]).toBe(expected[15]);
  for (const [gpuIndex, memory] of expected.entries()) expect((await page.figures(gpuIndex))[0]).toBe(memory);
  expect((await page.cellsOfRow(/^pretrain_7b\.py/)).slice(0, 3)).toEqual([
    'pretrain_7b.py torchrun · 8 ranks · 64 data-loader workers',
    '0–7',
    '561.7', // 8 x 71,902 MiB
  ]);

  const history = new HistoryPanel(app.window);
  expect(await history.section.count()).toBe(0);
  await page.cardRow(0).getByRole('button').focus();
  for (let step = 0; step < 13; step += 1) await app.window.keyboard.press('ArrowDown');
  await app.window.keyboard.press('Enter');
  await expect.poll(() => history.summaries()).toEqual([expect.stringMatching(/card 13 .*37\.6 GiB/)]);
  expect(await page.isCutOff()).toBe(false);
  expect(app.complaints()).toEqual([]);
});

test('MIG: each slice has its own bar with the job inside, utilisation is unknown and not 0', async () => {
  const app = await launchApp({ scene: 'mig', size: { width: 900, height: 600 } });
  const page = new WorkstationPage(app.window);
  await page.waitForCards();

  await expect
    .poll(() => page.slices(0))
    .toEqual([
      'MIG 1/0 · 4g.40gb 30.8 / 39.3 GiB finetune_bert.py 30.8 GiB', // 31,488 of 40,192 MiB
      'MIG 5/0 · 2g.20gb 7.1 / 19.5 GiB probe_embeddings.py 7.1 GiB', // 7,302 of 19,968 MiB
      'MIG 13/0 · 1g.10gb <0.1 / 9.5 GiB',
    ]);
  expect(await page.slices(1)).toEqual([]);
  // The table names the slice of each job, which only `nvidia-smi -L` tells.
  await expect.poll(async () => (await page.cellsOfRow(/^finetune_bert\.py/))[1]).toBe('0 · 4g.40gb');
  expect((await page.cellsOfRow(/^probe_embeddings\.py/))[1]).toBe('0 · 2g.20gb');
  expect((await page.cellsOfRow(/^train_llama\.py/))[1]).toBe('1');
  expect((await page.figures(0))[1]).toMatch(/^–/);
  expect((await page.figures(1))[1]).toMatch(/^\d\d %/);
  expect(await page.isCutOff()).toBe(false);
  expect(app.complaints()).toEqual([]);
});

test('a scene switched while the charts move: the cards, jobs and past of the new one, and none of the old', async () => {
  const app = await launchApp({ scene: 'two-3090-oom' });
  const page = new WorkstationPage(app.window);
  const history = new HistoryPanel(app.window);
  await page.waitForCards();
  await expect.poll(() => history.colours()).toSatisfy((seen: number[]) => (seen[0] ?? 0) > 3);

  await page.row(/^finetune\.py/).focus(); // A selected row outlives its process, but not its machine.
  for (const [sceneId, cards, job] of [
    ['slow-leak', 2, /^train_unet\.py/],
    ['mig', 2, /^train_llama\.py/],
    ['card-lost', 4, /^train_fold\.py/],
  ] as const) {
    await page.chooseScene(sceneId);
    await page.row(job).waitFor();
    await expect.poll(() => page.cardCount()).toBe(cards);
    await expect.poll(async () => (await history.summaries()).length).toBe(cards);
    await expect
      .poll(() => history.colours())
      .toSatisfy((seen: number[]) => seen.length === cards && (seen[0] ?? 0) > 3);
    expect(await page.row(/^finetune\.py/).count()).toBe(0);
  }
  // The past of the new scene names its own jobs alone.
  await history.showAs('asTable');
  await expect.poll(() => history.tableText('Card 0, RTX 3090')).toContain('train_fold.py');
  expect(await history.tableText('Card 0, RTX 3090')).not.toMatch(/finetune\.py|train_llama\.py/);
  expect(app.complaints()).toEqual([]);
});

test('the past: three ranges, and the end of a job as a mark', async () => {
  const app = await launchApp({ scene: 'card-lost' });
  const page = new WorkstationPage(app.window);
  const history = new HistoryPanel(app.window);
  await page.waitForCards();
  await expect.poll(() => history.summaries()).toContainEqual(expect.stringContaining('20.5 GiB'));
  await expect.poll(() => page.cardRow(2).innerText()).toContain('has fallen off the bus');

  for (const [range, text] of [
    ['hour', '1 h'],
    ['day', '24 h'],
    ['fiveMinutes', '5 min'],
  ] as const) {
    await history.chooseRange(range);
    await expect
      .poll(() => history.summaries())
      .toContainEqual(expect.stringMatching(new RegExp(`card 0 .*${text}.*16\\.9 GiB`)));
  }
  await history.showAs('asTable');
  await expect.poll(() => history.tableText('Card 2, RTX 3090')).toContain('train_fold.py ended');
  expect(await history.tableText('Card 0, RTX 3090')).not.toContain('ended');
  expect(app.complaints()).toEqual([]);
});
