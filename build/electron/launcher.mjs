import path from 'node:path';
import { Failure } from '../tools/failure.mjs';
import { say } from '../tools/say.mjs';
import { probe } from './probe.mjs';
import { stageApp } from './staging.mjs';
import { allowSetuidHelper, prepareUnprivileged, shareScreenKey } from './unprivileged.mjs';

/**
 * How the app is started on this machine.
 *
 * @typedef {object} Launcher
 * @property {string} command the Electron, or a small script that starts it as another user
 * @property {readonly string[]} flags go before the app's folder
 * @property {Record<string, string | undefined>} env to be added to ours; undefined removes a variable
 * @property {{ uid: number, gid: number, home: string } | null} user whom it runs as, when that is not us
 */

/**
 * Chooses how to start the app with Chromium's sandbox on. Chromium refuses its sandbox to root, so as root the app
 * runs as an unprivileged user. Only where no sandbox works is it left out, and that is said.
 *
 * @param {import('./find.mjs').ElectronRuntime} runtime
 * @param {{ env: Record<string, string | undefined>, isVirtual: boolean }} screen
 * @returns {Promise<Launcher>}
 * @throws {Failure} when Electron opens no window at all
 */
export async function prepareLauncher(runtime, screen) {
  // There is no GPU and no message bus to look for, and each miss would be reported line by line.
  const flags = screen.isVirtual ? ['--disable-gpu', '--log-level=3'] : [];
  /** @type {Launcher} */
  const direct = { command: runtime.executable, flags, env: screen.env, user: null };
  if (process.platform !== 'linux') return direct;
  const problem =
    process.getuid?.() === 0
      ? await tryUnprivileged(runtime, direct, screen.isVirtual)
      : await trySandbox(direct);
  if (typeof problem !== 'string') return problem;

  const bare = { ...direct, flags: [...flags, '--no-sandbox'] };
  const failure = await probe(bare);
  if (failure !== null) throw new Failure(`Electron opens no window here: ${failure}`);
  say(`running WITHOUT Chromium's sandbox, for development only: ${problem}`);
  return bare;
}

/**
 * @param {Launcher} direct
 * @returns {Promise<Launcher | string>} or why the sandbox does not work
 */
async function trySandbox(direct) {
  const failure = await probe(direct);
  if (failure === null) return direct;
  const helper = path.join(path.dirname(direct.command), 'chrome-sandbox');
  return `${failure}. To allow it: sudo chown root '${helper}' && sudo chmod 4755 '${helper}'`;
}

/**
 * @param {import('./find.mjs').ElectronRuntime} runtime
 * @param {Launcher} direct
 * @param {boolean} isVirtual whether the screen is one of ours, which needs no key
 * @returns {Promise<Launcher | string>} or why it does not work
 */
async function tryUnprivileged(runtime, direct, isVirtual) {
  const place = prepareUnprivileged(runtime);
  if (typeof place === 'string') return place;
  const launcher = {
    ...direct,
    command: place.command,
    env: { ...direct.env, ...place.env, ...(isVirtual ? {} : shareScreenKey(place)) },
    user: place.user,
  };
  let failure = await probe(launcher);
  if (failure !== null) {
    allowSetuidHelper(place);
    failure = await probe(launcher);
  }
  return failure === null ? launcher : failure;
}

/**
 * @param {Launcher} launcher
 * @param {string} app a folder with package.json and dist/
 * @returns {string} the app's folder as the launcher's user can read it; a copy where that is another user
 */
export function readableApp(launcher, app) {
  return launcher.user === null ? app : stageApp(app, path.dirname(launcher.command));
}
