import type { TestProject } from 'vitest/node';
import { openVirtualScreen, type Screen } from '../../../build/display/open.mjs';
import { prepareLauncher, readableApp, type Launcher } from '../../../build/electron/launcher.mjs';
import { ensureBuiltForTests } from '../../../build/inputs.mjs';
import { setUpEverything } from '../../../build/setup/everything.mjs';
import { testAppFolder } from '../../../build/tools/paths.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Which build of the app is tested, and how each worker starts it: on a screen of its own. */
    appUnderTest: { readonly launchers: readonly Launcher[]; readonly appFolder: string };
  }
}

/** Larger than the largest window of a test. */
const screenSize = { width: 1600, height: 1000 };

/** Once for all end-to-end tests: an Electron, the test build, virtual screens, and a way to start with the sandbox on. */
export default async function setup(project: TestProject): Promise<() => void> {
  const runtime = await setUpEverything({ virtualScreen: process.platform === 'linux' });
  await ensureBuiltForTests();
  // Windows of two apps on one screen would take the focus from each other.
  const workers = Array.from({ length: project.vitest.config.maxWorkers });
  const screens = await Promise.all(workers.map(() => openVirtualScreen(screenSize)));
  const [first, ...others] = screens;
  if (first === undefined) throw new Error('there is no worker to run tests');
  const launcher = await prepareLauncher(runtime, first);
  const onOther = ({ env }: Screen): Launcher => ({ ...launcher, env: { ...launcher.env, ...env } });
  const launchers = [launcher, ...others.map(onOther)];
  project.provide('appUnderTest', { launchers, appFolder: readableApp(launcher, testAppFolder) });
  return () => {
    for (const { virtual } of screens) virtual?.stop();
  };
}
