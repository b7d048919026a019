import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { Arch, build, Platform } from 'electron-builder';
import { findElectron } from '../electron/find.mjs';
import { ensureBuilt } from '../inputs.mjs';
import { run } from '../tools/command.mjs';
import { Failure } from '../tools/failure.mjs';
import { root } from '../tools/paths.mjs';
import { say } from '../tools/say.mjs';
import { builderConfiguration } from './builder.mjs';

/** electron-builder downloads tools for the kinds marked true; the others need nothing but Electron. */
const kinds = {
  linux: { dir: false, 'tar.gz': false, deb: true, AppImage: true, rpm: true },
  win32: { dir: false, nsis: true },
};

/**
 * Packs the app with electron-builder.
 *
 * @param {readonly string[]} wanted kinds of packages; none: every kind of this system
 * @param {string} output is emptied first
 * @returns {Promise<readonly { name: string, bytes: number }[]>} what was made, with its size
 * @throws {Failure} on an unknown kind or another system, and with HEADROOM_RELEASE where Electron is only the stand-in
 */
export async function packApp(wanted, output) {
  const known = kinds[/** @type {'linux' | 'win32'} */ (process.platform)];
  if (known === undefined)
    throw new Failure(`packages are made on Linux and Windows, not on ${process.platform}.`);
  const unknown = wanted.find((kind) => !(kind in known));
  if (unknown !== undefined)
    throw new Failure(`there is no package "${unknown}": choose from ${Object.keys(known).join(', ')}.`);
  const chosen = wanted.length > 0 ? wanted : Object.keys(known);

  const runtime = await findElectron();
  if (runtime.isStandIn && process.env.HEADROOM_RELEASE)
    throw new Failure('a release needs the official Electron, and only the stand-in could be had.');
  await ensureBuilt();
  rmSync(output, { recursive: true, force: true });
  const platform = process.platform === 'win32' ? Platform.WINDOWS : Platform.LINUX;
  await build({
    projectDir: root,
    // The unpacked folder comes with each kind; the archive is made from it below.
    targets: platform.createTarget(
      ['dir', ...chosen.filter((kind) => kind in known && kind !== 'tar.gz')],
      Arch.x64,
    ),
    config: builderConfiguration(runtime, output),
    publish: 'never',
  });
  if (chosen.includes('tar.gz')) await makeArchive(output);
  if (runtime.isStandIn) say('packed with the stand-in Electron: for tests, never to be handed out.');
  return packagesIn(output);
}

/**
 * electron-builder's own tar.gz needs a 7-Zip that it downloads; every Linux has tar.
 *
 * @param {string} output
 */
async function makeArchive(output) {
  const folder = readdirSync(output).find((name) => name.endsWith('-unpacked'));
  if (folder === undefined)
    throw new Failure('electron-builder left no unpacked folder to make an archive of.');
  const { version } = (await import('../../package.json', { with: { type: 'json' } })).default;
  const name = `headroom-${version}-linux-x64`;
  const result = await run(
    'tar',
    [
      ...['--create', '--gzip', '--file', path.join(output, `${name}.tar.gz`)],
      ...[
        '--owner=0',
        '--group=0',
        '--sort=name',
        `--transform=s,^${folder},${name},`,
        '--directory',
        output,
        folder,
      ],
    ],
    { timeoutMs: 300_000 },
  );
  if (result.code !== 0) throw new Failure(`tar could not make the archive: ${result.output.trim()}`);
}

/** @param {string} output */
function packagesIn(output) {
  return readdirSync(output)
    .filter((name) => /\.(deb|AppImage|rpm|tar\.gz|exe)$|-unpacked$/.test(name))
    .sort()
    .map((name) => ({ name, bytes: sizeOf(path.join(output, name)) }));
}

/**
 * @param {string} place a file or a folder
 * @returns {number} bytes, of all files below it
 */
function sizeOf(place) {
  if (!existsSync(place)) return 0; // A link to nowhere.
  const stat = statSync(place);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(place).reduce((sum, name) => sum + sizeOf(path.join(place, name)), 0);
}
