import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Settings } from '../../shared/contract/settings';
import { valueOf } from './harness/calls';
import { launchApp, type RunningApp } from './harness/launchApp';
import { resizeWindow, windowSize } from './harness/nativeWindow';

const onDisk = (app: RunningApp, name: string): unknown =>
  JSON.parse(readFileSync(path.join(app.userData.folder, name), 'utf8'));

test('a change holds at once, in the native parts too, and over a restart', async () => {
  const first = await launchApp({ theme: 'light', locale: 'en' });
  const changed = await valueOf(first, 'settings.change', { theme: 'dark', language: 'zh-CN' });
  expect(changed.settings).toMatchObject({ theme: 'dark', language: 'zh-CN' });
  const native = () =>
    first.electron.evaluate(({ Menu, nativeTheme }) => ({
      dark: nativeTheme.shouldUseDarkColors,
      menus: Menu.getApplicationMenu()?.items.map((item) => item.label),
    }));
  await expect.poll(native).toEqual({ dark: true, menus: ['文件', '编辑', '视图', '帮助'] });
  await first.quit();
  expect(onDisk(first, 'settings.json')).toMatchObject({ theme: 'dark', language: 'zh-CN' });

  const second = await launchApp({ userData: first.userData });
  const state = await valueOf(second, 'settings.read', null);
  expect(state).toMatchObject({ settings: { theme: 'dark', language: 'zh-CN' }, notice: null });
});

test('a damaged file does not stop the start: standard settings, a copy kept, and a word about it', async () => {
  const app = await launchApp({ files: { 'settings.json': '{"version":1,"theme":', 'window.json': '\0\0' } });
  const state = await valueOf(app, 'settings.read', null);
  expect(state.notice).toEqual({
    key: 'desktop.settingsDamaged',
    values: { file: 'settings.damaged.json' },
  });
  expect(readdirSync(app.userData.folder)).toContain('settings.damaged.json');
  expect(await windowSize(app)).toEqual([1280, 800]);
});

test('a bad value is repaired and the others are kept', async () => {
  const app = await launchApp({
    settings: { intervalSeconds: -5, theme: 'dark' } as Partial<Settings>,
  });
  const state = await valueOf(app, 'settings.read', null);
  expect(state.settings).toMatchObject({ intervalSeconds: 1, theme: 'dark' });
  expect(state.notice?.key).toBe('desktop.settingsRepaired');
});

test('the window comes back with its size, and no smaller than it can be used', async () => {
  const first = await launchApp({ size: { width: 1100, height: 700 } });
  expect(await windowSize(first)).toEqual([1100, 700]);
  await resizeWindow(first, 1000, 650);
  await expect.poll(() => onDisk(first, 'window.json')).toMatchObject({ width: 1000, height: 650 });
  await first.quit();
  const second = await launchApp({ userData: first.userData });
  expect(await windowSize(second)).toEqual([1000, 650]);
  await resizeWindow(second, 100, 100);
  await expect.poll(() => windowSize(second)).toEqual([900, 600]);
});

test("nvidia-smi is chosen in the app's own dialog", async () => {
  const app = await launchApp();
  await app.dialogs.answerNext('/opt/nvidia/nvidia-smi');
  const chosen = await valueOf(app, 'settings.chooseNvidiaSmi', { useDefault: false });
  expect(chosen.settings.nvidiaSmiPath).toBe('/opt/nvidia/nvidia-smi');
  expect(await app.dialogs.asked()).toMatchObject([{ id: 'choose-nvidia-smi' }]);
});
