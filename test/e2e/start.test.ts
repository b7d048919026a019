import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { environmentOf } from '../../build/electron/environment.mjs';
import { valueOf } from './harness/calls';
import { appUnderTest, launchApp, type RunningApp } from './harness/launchApp';
import { closeWindow, exitCode, hideWindow, isVisible } from './harness/nativeWindow';

/** Starts the app once more for the same person; resolves with its exit code. */
function startAgain(app: RunningApp): Promise<number | null> {
  const { launcher, appFolder } = appUnderTest();
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
  await expect.poll(() => isVisible(app)).toBe(true);
  expect(app.complaints()).toEqual([]);
});

test('a second start ends at once and brings the first window back', async () => {
  const app = await launchApp();
  await hideWindow(app);
  expect(await startAgain(app)).toBe(0);
  await expect.poll(() => isVisible(app)).toBe(true);
  expect(app.electron.windows()).toHaveLength(1);
});

test('closing the window ends the app', async () => {
  const app = await launchApp();
  const code = exitCode(app);
  await closeWindow(app);
  expect(await code).toBe(0);
});

test('a window whose process was killed is offered again, and comes back', async () => {
  const app = await launchApp();
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
