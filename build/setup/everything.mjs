import { findElectron } from '../electron/find.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { ensureLibraries } from './libraries.mjs';
import { checkNode } from './node.mjs';

/**
 * Sets up what a fresh clone lacks to open the app, but for the build.
 *
 * @param {{ virtualScreen: boolean }} wanted whether Xvfb is needed too
 * @returns {Promise<import('../electron/find.mjs').ElectronRuntime>}
 * @throws {import('../tools/failure.mjs').Failure} with what to do about it
 */
export async function setUpEverything({ virtualScreen }) {
  checkNode();
  await ensureDependencies();
  const runtime = await findElectron();
  await ensureLibraries({ electron: runtime.executable, virtualScreen });
  return runtime;
}
