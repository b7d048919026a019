import type { TestProject } from 'vitest/node';
import { openVirtualScreen } from '../../../build/display/open.mjs';
import { prepareLauncher, readableApp, type Launcher } from '../../../build/electron/launcher.mjs';
import { ensureBuiltForTests } from '../../../build/inputs.mjs';
import { setUpEverything } from '../../../build/setup/everything.mjs';
import { testAppFolder } from '../../../build/tools/paths.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    /** How to start the app, and which build of it. */
    appUnderTest: { readonly launcher: Launcher; readonly appFolder: string };
  }
}

/** Larger than the largest window of a test. */
const screenSize = { width: 1600, height: 1000 };

/** Once for all end-to-end tests: an Electron, the test build, a virtual screen, and a way to start with the sandbox on. */
export default async function setup(project: TestProject): Promise<() => void> {
  const runtime = await setUpEverything({ virtualScreen: process.platform === 'linux' });
  await ensureBuiltForTests();
  const screen = await openVirtualScreen(screenSize);
  const launcher = await prepareLauncher(runtime, screen);
  project.provide('appUnderTest', { launcher, appFolder: readableApp(launcher, testAppFolder) });
  return () => screen.virtual?.stop();
}
