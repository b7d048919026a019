import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { environmentOf } from '../../build/electron/environment.mjs';
import { valueOf } from './harness/calls';
import { launchApp, type RunningApp } from './harness/launchApp';

const isVisible = (app: RunningApp) =>
  app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible());

/** Starts the app once more for the same person; resolves with its exit code. */
function startAgain(app: RunningApp): Promise<number | null> {
  const { launcher, appFolder } = inject('appUnderTest');
  const second = spawn(launcher.command, [...launcher.flags, appFolder], {
    env: environmentOf(launcher, app.userData.env),
    stdio: 'ignore',
  });
  return new Promise((resolve, reject) => {
    second.on('error', reject);
    second.on('exit', resolve);
  });
}

test('shows its window and a page that is painted', async () => {
  const app = await launchApp();
  await app.window.waitForSelector('#app > *');
  await expect.poll(() => isVisible(app)).toBe(true);
  expect(app.complaints()).toEqual([]);
});

test('a second start ends at once and brings the first window back', async () => {
  const app = await launchApp();
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide());
  expect(await isVisible(app)).toBe(false);
  expect(await startAgain(app)).toBe(0);
  await expect.poll(() => isVisible(app)).toBe(true);
  expect(app.electron.windows()).toHaveLength(1);
});

test('closing the window ends the app', async () => {
  const app = await launchApp();
  const ended = new Promise((resolve) => app.electron.process().once('exit', resolve));
  await app.electron.evaluate(({ BrowserWindow }) =>
    setTimeout(() => BrowserWindow.getAllWindows()[0]?.close()),
  );
  expect(await ended).toBe(0);
});

test('a window whose process was killed is offered again, and comes back', async () => {
  const app = await launchApp();
  await app.window.waitForSelector('#app > *');
  await app.electron.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
  );
  await expect.poll(() => app.dialogs.asked()).toMatchObject([{ id: 'window-failed' }]);
  const isBack = () =>
    app.electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(
        "document.querySelector('#app > *') !== null",
      ),
    );
  await expect.poll(isBack).toBe(true);
});

test('an error of the page is written to the log, without private data', async () => {
  const app = await launchApp();
  const text = 'failed with --api-key=abc123';
  await valueOf(app, 'log.rendererError', { text, stack: null });
  const log = () => readFileSync(path.join(app.userData.folder, 'logs/headroom.log'), 'utf8');
  await expect.poll(log).toContain('In the window: failed with --api-key=***');
});
