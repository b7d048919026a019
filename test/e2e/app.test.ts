import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { launchApp } from './harness/launchApp';
import { windowSize } from './harness/nativeWindow';

test('opens one window with a sandboxed page of its own scheme', async () => {
  const app = await launchApp();

  expect(app.electron.windows()).toHaveLength(1);
  expect(new URL(app.window.url()).protocol).toBe('app:');
  expect(await app.window.title()).toContain('Headroom');
  expect(await app.window.evaluate('typeof require + typeof process')).toBe('undefinedundefined');
  expect(app.complaints()).toEqual([]);
});

test('keeps its settings and window bounds in the folder it is given', async () => {
  const app = await launchApp({ size: { width: 900, height: 600 } });

  const userData = await app.electron.evaluate(({ app: electronApp }) => electronApp.getPath('userData'));
  expect(userData).toBe(app.userData.folder);
  expect(await windowSize(app)).toEqual([900, 600]);
});

test.runIf(process.platform === 'linux')('runs with the sandbox of Chromium and not as root', async () => {
  const app = await launchApp();
  const rendererPid = await app.electron.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.webContents.getOSProcessId(),
  );
  const status = readFileSync(`/proc/${rendererPid}/status`, 'utf8');

  expect(/^Seccomp:\s+(\d)/m.exec(status)?.[1]).toBe('2');
  expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.toBe('0');
});
