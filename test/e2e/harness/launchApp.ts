import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { inject, onTestFinished } from 'vitest';
import { environmentOf } from '../../../build/electron/environment.mjs';
import type { Launcher } from '../../../build/electron/launcher.mjs';
import { root } from '../../../build/tools/paths.mjs';
import type { Settings } from '../../../shared/contract/settings';
import type { Locale } from '../../../shared/i18n/translate';
import { scriptedDialogs, type ScriptedDialogs } from './dialogs';
import { endGroup } from './endGroup';
import { isVisible } from './nativeWindow';
import { createUserData, type FirstState, type UserData } from './userData';

export interface LaunchOptions {
  /** What the simulated workstation plays; null: what the app chooses by itself. */
  readonly scene?: string | null;
  readonly locale?: Locale;
  readonly theme?: 'light' | 'dark';
  readonly size?: { readonly width: number; readonly height: number };
  /** Further settings the app finds in its settings file. */
  readonly settings?: Partial<Settings>;
  /** Files of the user data folder to be there instead, e.g. a damaged `settings.json`. */
  readonly files?: Readonly<Record<string, string>>;
  /** The folder of an app that ran before and was quit with `quit`; settings, size and files are then left as they are. */
  readonly userData?: UserData;
  /** Further variables; undefined removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly args?: readonly string[];
  /** Called before a window is waited for, where the app begins without one. */
  readonly beforeWindow?: (electron: ElectronApplication) => Promise<void>;
}

export interface RunningApp {
  readonly electron: ElectronApplication;
  readonly window: Page;
  readonly userData: UserData;
  readonly dialogs: ScriptedDialogs;
  /** Process id of the app's main process. */
  readonly pid: number;
  /** What the page complained about: errors that nobody caught, console errors, refusals of the content policy. */
  complaints(): readonly string[];
  screenshot(name: string): Promise<string>;
  /** Asks the app to quit as its menu does, and waits until it has ended; its folder stays. */
  quit(): Promise<void>;
  /** Ends the app, by force where it does not end by itself, and removes its folder. */
  close(): Promise<void>;
}

/** For a machine that is busy with other work: a window, a part of the page. */
const patienceMs = 60_000;
const closeMs = 5_000;

/**
 * Starts the app in the real Electron, with a user data folder of its own, and waits for the page in its window. Called
 * in a test it is closed with the test, and a picture is kept in screenshots/e2e where the test failed.
 */
export async function launchApp(options: LaunchOptions = {}): Promise<RunningApp> {
  const app = await start(options);
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await tryScreenshot(app, `failed ${task.name}`);
    await app.close();
  });
  return app;
}

/** As {@link launchApp}, for an app that several tests share: the caller closes it. */
export async function start(options: LaunchOptions): Promise<RunningApp> {
  const { launcher, appFolder } = appUnderTest();
  const userData = options.userData ?? createUserData(launcher, firstState(options));
  const scene = options.scene === undefined ? 'two-3090-oom' : (options.scene ?? undefined);
  const electron = await _electron.launch({
    executablePath: launcher.command,
    args: [...launcher.flags, appFolder, ...(options.args ?? [])],
    env: environmentOf(launcher, { ...userData.env, HEADROOM_SCENE: scene, ...options.env }),
    chromiumSandbox: !launcher.flags.includes('--no-sandbox'),
    colorScheme: null, // Else Playwright overrides the theme that the app asks for.
    timeout: patienceMs,
  });
  const pid = electron.process().pid;
  if (pid === undefined) throw new Error('Electron has no process id');
  try {
    await options.beforeWindow?.(electron);
    const window = await electron.firstWindow({ timeout: patienceMs });
    window.setDefaultTimeout(patienceMs);
    const app = running(electron, window, userData, pid);
    // A window is there before its page is: what is asked of it until then is lost.
    await window.waitForSelector('#app > *', { state: 'attached' });
    return app;
  } catch (error) {
    endGroup(pid);
    userData.remove();
    throw error;
  }
}

/** The build that is tested, and how this worker starts it. */
export function appUnderTest(): { readonly launcher: Launcher; readonly appFolder: string } {
  const { launchers, appFolder } = inject('appUnderTest');
  // Vitest numbers its workers from 1 on.
  const launcher = launchers[Number(process.env['VITEST_POOL_ID']) - 1];
  if (launcher === undefined) throw new Error('there is no screen for this worker');
  return { launcher, appFolder };
}

function firstState(options: LaunchOptions): FirstState {
  return {
    settings: {
      language: options.locale ?? 'en',
      theme: options.theme ?? 'light',
      firstRunDone: true,
      ...options.settings,
    },
    size: options.size ?? { width: 1280, height: 800 },
    files: options.files ?? {},
  };
}

function running(electron: ElectronApplication, window: Page, userData: UserData, pid: number): RunningApp {
  const complaints: string[] = [];
  window.on('pageerror', (error) => complaints.push(error.message));
  window.on('console', (line) => {
    if (line.type() === 'error') complaints.push(line.text());
  });
  return {
    electron,
    window,
    userData,
    pid,
    dialogs: scriptedDialogs(electron),
    complaints: () => complaints,
    screenshot: (name) => screenshot(window, name),
    async quit() {
      const ended = new Promise((resolve) => electron.process().once('exit', resolve));
      await electron.evaluate(({ app }) => setTimeout(() => app.quit())); // Later, or the answer never comes.
      await ended;
    },
    async close() {
      await endWithin(electron, closeMs);
      endGroup(pid);
      userData.remove();
    },
  };
}

/** What went wrong is told by the test; a window that is hidden or gone has no picture. */
async function tryScreenshot(app: RunningApp, name: string): Promise<void> {
  if (!(await isVisible(app).catch(() => false))) return;
  await app
    .screenshot(name)
    .catch((error: unknown) => process.stderr.write(`no picture: ${String(error)}\n`));
}

async function screenshot(window: Page, name: string): Promise<string> {
  const folder = path.join(root, 'screenshots/e2e');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${name.replace(/[^\p{Letter}\p{Number}]+/gu, '-')}.png`);
  await window.screenshot({ path: file });
  return file;
}

async function endWithin(electron: ElectronApplication, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
  const closed = electron.close().catch((error: unknown) => {
    // It ended before it was asked to; what matters is that nothing is left, which comes next.
    process.stderr.write(`closing the app: ${String(error)}\n`);
  });
  await Promise.race([closed, limit]);
  clearTimeout(timer);
}
