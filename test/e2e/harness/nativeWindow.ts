import { expect } from 'vitest';
import type { RunningApp } from './launchApp';

/** The app's window as main knows it. What main asks of the desktop may take a moment, so each waits until it is so. */

export const isVisible = (app: RunningApp): Promise<boolean> =>
  app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible() ?? false);

export const windowSize = (app: RunningApp): Promise<number[] | undefined> =>
  app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getSize());

/** Who looks at the window needs no notification, so tests that read them take it out of sight. */
export async function hideWindow(app: RunningApp): Promise<void> {
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide());
  await expect.poll(() => isVisible(app)).toBe(false);
}

export async function showWindow(app: RunningApp): Promise<void> {
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.show());
  await expect.poll(() => isVisible(app)).toBe(true);
}

export const resizeWindow = (app: RunningApp, width: number, height: number): Promise<void> =>
  app.electron.evaluate(
    ({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setSize(size.width, size.height),
    { width, height },
  );

/** As its own button does. Later, because the answer would never come where the app ends with it. */
export const closeWindow = (app: RunningApp): Promise<unknown> =>
  app.electron.evaluate(({ BrowserWindow }) => setTimeout(() => BrowserWindow.getAllWindows()[0]?.close()));

/** The exit code of the app once it ends by itself; to be asked before what ends it. */
export const exitCode = (app: RunningApp): Promise<number | null> =>
  new Promise((resolve) => app.electron.process().once('exit', resolve));
