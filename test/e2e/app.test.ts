import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start, type RunningApp } from './harness/launchApp';
import { windowSize } from './harness/nativeWindow';

let app: RunningApp;
beforeAll(async () => {
  app = await start({ size: { width: 900, height: 600 } });
});
afterAll(() => app.close());

test('opens one window with a sandboxed page of its own scheme', async () => {
  expect(app.electron.windows()).toHaveLength(1);
  expect(new URL(app.window.url()).protocol).toBe('app:');
  expect(await app.window.title()).toContain('Headroom');
  expect(await app.window.evaluate('typeof require + typeof process')).toBe('undefinedundefined');
  expect(app.complaints()).toEqual([]);
});

test('keeps its settings and window bounds in the folder it is given', async () => {
  const userData = await app.electron.evaluate(({ app: electronApp }) => electronApp.getPath('userData'));
  expect(userData).toBe(app.userData.folder);
  expect(await windowSize(app)).toEqual([900, 600]);
});

test.runIf(process.platform === 'linux')('runs with the sandbox of Chromium and not as root', async () => {
  const rendererPid = await app.electron.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.webContents.getOSProcessId(),
  );
  const status = readFileSync(`/proc/${rendererPid}/status`, 'utf8');

  expect(/^Seccomp:\s+(\d)/m.exec(status)?.[1]).toBe('2');
  expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.toBe('0');
});
