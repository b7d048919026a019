import { expect, test } from 'vitest';
import type { Snapshot } from '../../shared/alerts/snapshot';
import { MiB } from '../../shared/units';
import { valueOf } from './harness/calls';
import { launchApp } from './harness/launchApp';
import { resizeWindow } from './harness/nativeWindow';
import { desktopPortsOf } from './harness/desktopPorts';
import { seeSnapshots } from './harness/seen';
import { WorkstationPage } from './pages/WorkstationPage';

/** A hang of 24 s takes half of it: longer than the 5 s after which it is noticed. */
const hangSpeed = 2;

test('eight cards show what the scene says: memory by job, utilisation, limits', async () => {
  const app = await launchApp({ scene: 'eight-healthy' });
  const page = new WorkstationPage(app.window);
  await page.waitForCards();

  expect(await page.cardCount()).toBe(8);
  // 61,426 MiB of each rank, on cards of 81,920 MiB.
  await expect
    .poll(() => page.barText(7))
    .toMatch(/^Card 7: 60\.0 of 80\.0 GiB used; pretrain\.py 60\.0 GiB; driver/);
  for (const gpuIndex of [0, 1, 2, 3, 4, 5, 6, 7]) {
    const [memory, utilisation, temperature, power] = await page.figures(gpuIndex);
    expect(memory).toBe('60.0 / 80.0 GiB');
    expect(Number.parseInt(utilisation ?? '', 10)).toBeGreaterThanOrEqual(93);
    expect(temperature).toMatch(/^\d\d °C$/);
    expect(power).toMatch(/^\d{3} \/ 400 W$/);
  }
  // 8 x 61,426 MiB and 18 MiB more on the first card are 479.9 GiB.
  const job = await page.cellsOfRow(/^pretrain\.py/);
  expect(job.slice(0, 3)).toEqual([
    'pretrain.py torchrun · 8 ranks · 16 data-loader workers',
    '0–7',
    '479.9',
  ]);
  expect((await page.cellsOfRow(/^rank 5 /)).slice(1, 3)).toEqual(['5', '60.0']);
  expect(app.complaints()).toEqual([]);
});

test('the first card fills while the second stays empty, and the process that fills it is named', async () => {
  const app = await launchApp({ scene: 'two-3090-oom' });
  const page = new WorkstationPage(app.window);
  await page.waitForCards();

  const shown = async () => ({
    bar: await page.barText(0),
    full: (await page.figures(0))[0],
    empty: (await page.figures(1)).slice(0, 2),
    job: (await page.cellsOfRow(/^finetune\.py/)).slice(1, 3),
  });
  // As one, because it dies in the end and is begun again.
  await expect.poll(shown).toEqual({
    bar: expect.stringMatching(/finetune\.py 2[23]\.\d GiB/),
    full: expect.stringMatching(/^2[23]\.\d \/ 24\.0 GiB$/),
    empty: ['<0.1 / 24.0 GiB', expect.stringMatching(/^0 %/)],
    job: ['0', expect.stringMatching(/^2[23]\.\d$/)],
  });
});

test('a driver mismatch at the start is explained in the place of the cards, which come when it is over', async () => {
  const app = await launchApp({ scene: 'driver-mismatch', env: { HEADROOM_SCENE_SPEED: '1.5' } });
  const seen = await seeSnapshots(app);
  const page = new WorkstationPage(app.window);

  await page.trouble.waitFor();
  const told = await page.trouble.innerText();
  expect(told).toMatch(/driver .*old module[\s\S]*What to do[\s\S]*Reboot/);
  await page.cardRow(1).waitFor();
  await page.trouble.waitFor({ state: 'detached' });
  await expect.poll(() => page.barText(0)).toContain('train_vit.py 13.9 GiB'); // 14,208 MiB
  const [first] = (await seen.all()).filter(({ problems }) => problems.length > 0);
  expect(first?.cards).toEqual([]);
});

test('an nvidia-smi that hangs is noticed within seconds, the last picture stays, and readings go on afterwards', async () => {
  const app = await launchApp({ scene: 'smi-hangs', env: { HEADROOM_SCENE_SPEED: String(hangSpeed) } });
  const seen = await seeSnapshots(app);
  const page = new WorkstationPage(app.window);
  await page.waitForCards();

  await page.trouble.waitFor();
  expect(await page.barText(0)).toContain('finetune_lora.py 16.9 GiB'); // 17,344 MiB
  await page.trouble.waitFor({ state: 'detached' });

  const all = await seen.all();
  const silent = all.filter(({ problems }) => problems.length > 0);
  expect(new Set(silent.flatMap(({ problems }) => problems.map(({ code }) => code)))).toEqual(
    new Set(['smi-silent']),
  );
  // Noticed 5 s after the last reading, and shown with the next second; the clock of the scene is faster.
  const ageOf = ({ time, cardsReadAt }: Snapshot) => (time - (cardsReadAt ?? 0)) / hangSpeed;
  expect(ageOf(silent[0] as Snapshot)).toBeLessThanOrEqual(10);
  expect(silent.map(({ cards, jobs }) => [cards.length, jobs[0]?.memoryBytes])).toEqual(
    silent.map(() => [2, 2 * 17_344 * MiB]),
  );
  // Cards that cannot be read are no alert: the trouble stands where the cards would be.
  expect(all.flatMap(({ alerts }) => alerts)).toEqual([]);
  expect(all.at(-1)).toMatchObject({ problems: [], cards: { length: 2 } });
  const ports = desktopPortsOf(app.electron);
  expect(await ports.notices()).toEqual([]);
  expect((await ports.tray()).labels.slice(2, 4)).toEqual([
    'Card 0, RTX 3090: 17 of 24 GiB',
    'Card 1, RTX 3090: 17 of 24 GiB',
  ]);
});

test('nothing is cut off in either language, theme and size', async () => {
  const app = await launchApp({ scene: 'two-3090-oom' });
  const { window } = app;
  for (const { language, theme, size, words } of [
    { language: 'en', theme: 'light', size: [1280, 800], words: 'data-loader' },
    { language: 'en', theme: 'dark', size: [900, 600], words: 'data-loader' },
    { language: 'zh-CN', theme: 'light', size: [900, 600], words: '数据加载' },
    { language: 'zh-CN', theme: 'dark', size: [1280, 800], words: '数据加载' },
  ] as const) {
    const page = new WorkstationPage(window, language);
    await valueOf(app, 'settings.change', { language, theme });
    await resizeWindow(app, size[0], size[1]);
    await expect
      .poll(() => window.evaluate('[document.documentElement.lang, innerWidth]'))
      .toEqual([language, size[0]]);
    await expect
      .poll(() => window.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"))
      .toBe(theme === 'dark');
    await expect.poll(() => page.barText(0)).toContain('finetune.py');
    await expect.poll(async () => (await page.cellsOfRow(/finetune\.py/))[0]).toContain(words);
    expect(await page.isCutOff()).toBe(false);
    await app.screenshot(`workstation ${language} ${theme} ${size[0]}`);
  }
  expect(app.complaints()).toEqual([]);
});
