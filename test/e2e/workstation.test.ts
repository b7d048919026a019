import { expect, test } from 'vitest';
import { valueOf } from './harness/calls';
import { launchApp } from './harness/launchApp';
import { WorkstationPage } from './pages/WorkstationPage';

/** For scenes that change after half a minute. */
const slowMs = 120_000;
const soon = { timeout: 20_000 };

test('eight cards show what the scene says: memory by job, utilisation, limits', async () => {
  const app = await launchApp({ scene: 'eight-healthy' });
  const page = new WorkstationPage(app.window);
  await page.waitForCards();

  expect(await page.cardCount()).toBe(8);
  // 61,426 MiB of each rank, on cards of 81,920 MiB.
  await expect
    .poll(() => page.barText(7), soon)
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

  await expect.poll(() => page.barText(0), soon).toMatch(/finetune\.py 2[23]\.\d GiB/);
  const [full] = await page.figures(0);
  const [empty, idle] = await page.figures(1);
  expect(full).toMatch(/^2[23]\.\d \/ 24\.0 GiB$/);
  expect(empty).toBe('<0.1 / 24.0 GiB');
  expect(idle).toMatch(/^0 %/);
  const job = await page.cellsOfRow(/^finetune\.py/);
  expect(job[1]).toBe('0');
  expect(job[2]).toMatch(/^2[23]\.\d$/);
});

test(
  'a driver mismatch at the start is explained in the place of the cards, which come when it is over',
  async () => {
    const app = await launchApp({ scene: 'driver-mismatch' });
    const page = new WorkstationPage(app.window);

    await page.trouble.waitFor({ timeout: 30_000 });
    expect(await page.trouble.innerText()).toMatch(/driver .*old module[\s\S]*What to do[\s\S]*Reboot/);
    expect(await page.cardCount()).toBe(0);

    await page.cardRow(1).waitFor({ timeout: 60_000 });
    await page.trouble.waitFor({ state: 'detached', timeout: 10_000 });
    await expect.poll(() => page.barText(0), soon).toContain('train_vit.py 13.9 GiB'); // 14,208 MiB
  },
  slowMs,
);

test(
  'an nvidia-smi that hangs is noticed within seconds, the last picture stays, and readings go on afterwards',
  async () => {
    const app = await launchApp({ scene: 'smi-hangs' });
    const page = new WorkstationPage(app.window);
    await page.waitForCards();

    await page.trouble.waitFor({ timeout: 40_000 });
    const noticed = await valueOf(app, 'snapshot.current', null);
    // Noticed 5 s after the last reading, and shown with the next second.
    expect((noticed?.time ?? 0) - (noticed?.cardsReadAt ?? 0)).toBeLessThanOrEqual(7);
    expect(await page.barText(0)).toContain('finetune_lora.py 16.9 GiB'); // 17,344 MiB

    await page.trouble.waitFor({ state: 'detached', timeout: 60_000 });
    const after = await valueOf(app, 'snapshot.current', null);
    expect((after?.time ?? 0) - (after?.cardsReadAt ?? 0)).toBeLessThanOrEqual(3);
  },
  slowMs,
);

test.each([
  { locale: 'en', theme: 'light', size: { width: 1280, height: 800 } },
  { locale: 'en', theme: 'dark', size: { width: 900, height: 600 } },
  { locale: 'zh-CN', theme: 'light', size: { width: 900, height: 600 } },
  { locale: 'zh-CN', theme: 'dark', size: { width: 1280, height: 800 } },
] as const)('nothing is cut off in $locale, $theme, $size.width x $size.height', async (look) => {
  const app = await launchApp({ scene: 'two-3090-oom', ...look });
  const page = new WorkstationPage(app.window, look.locale);
  await page.waitForCards();
  await expect.poll(() => page.barText(0), soon).toContain('finetune.py');

  expect(await app.window.evaluate('document.documentElement.lang')).toBe(look.locale);
  expect(await app.window.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")).toBe(
    look.theme === 'dark',
  );
  expect(await page.isCutOff()).toBe(false);
  expect((await page.cellsOfRow(/finetune\.py/))[0]).toContain(
    look.locale === 'en' ? 'data-loader' : '数据加载',
  );
  expect(app.complaints()).toEqual([]);
  await app.screenshot(`workstation ${look.locale} ${look.theme} ${look.size.width}`);
});
