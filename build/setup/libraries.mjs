import { existsSync, readFileSync } from 'node:fs';
import { isOnPath, run } from '../tools/command.mjs';
import { Failure } from '../tools/failure.mjs';
import { say } from '../tools/say.mjs';
import { installCommand, installerFor, packagesFor } from './packages.mjs';

/** @typedef {import('./packages.mjs').Need} Need */

/**
 * Makes sure that Electron finds its system libraries, and that a machine without a screen has a virtual one.
 * On Debian and its relatives, as root, the missing packages are installed; elsewhere the command is printed.
 *
 * @param {{ electron: string, virtualScreen: boolean }} wanted
 *   electron: the executable; virtualScreen: Xvfb and a Chinese font for screenshots are needed too
 * @throws {Failure} naming the command that installs what is missing
 */
export async function ensureLibraries(wanted) {
  if (process.platform !== 'linux') return;
  const missing = await missingNeeds(wanted);
  if (missing.length === 0) return;
  const installer = installerFor(readOsRelease());
  const isRoot = process.getuid?.() === 0;
  if (installer === 'apt' && isRoot) {
    await installWithApt(missing);
    const still = (await missingNeeds(wanted)).filter((need) => need !== 'chinese-font');
    if (still.length > 0) throw new Failure(`still missing after the installation: ${still.join(', ')}.`);
    return;
  }
  const command = await installCommand(installer, missing, isRoot, isKnownToApt);
  if (missing.every((need) => need === 'chinese-font')) {
    say(`no Chinese font was found, so Chinese text will show as boxes. ${command}`);
    return;
  }
  throw new Failure(`the app needs system packages that are missing here (${firstFew(missing)}). ${command}`);
}

/** @param {readonly Need[]} needs */
function firstFew(needs) {
  const rest = needs.length - 3;
  return needs.slice(0, 3).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/**
 * @param {{ electron: string, virtualScreen: boolean }} wanted
 * @returns {Promise<Need[]>}
 */
async function missingNeeds({ electron, virtualScreen }) {
  const missing = await missingLibraries(electron);
  if (virtualScreen && !isOnPath('Xvfb')) missing.push('Xvfb');
  if (virtualScreen && !(await hasChineseFont())) missing.push('chinese-font');
  return missing;
}

/**
 * The libraries that the dynamic linker cannot find for this executable, and those Electron opens while it runs.
 *
 * @param {string} electron
 * @returns {Promise<string[]>} file names such as `libgbm.so.1`
 */
async function missingLibraries(electron) {
  const linked = await run('ldd', [electron], { timeoutMs: 10_000 });
  const missing = [...linked.output.matchAll(/^[ \t]*(\S+) => not found/gm)].map((match) => match[1] ?? '');
  const known = await run(existsSync('/sbin/ldconfig') ? '/sbin/ldconfig' : 'ldconfig', ['-p'], {
    timeoutMs: 10_000,
  });
  if (known.code !== 0) return missing; // musl and NixOS keep no such list; ldd has told what it can.
  for (const opened of ['libgtk-3.so.0', 'libXss.so.1', 'libXtst.so.6']) {
    if (!known.output.includes(`${opened} `) && !missing.includes(opened)) missing.push(opened);
  }
  return missing;
}

async function hasChineseFont() {
  const fonts = await run('fc-list', [':lang=zh-cn', 'family'], { timeoutMs: 20_000 });
  return fonts.code === 0 && fonts.output.trim() !== '';
}

/** @param {readonly Need[]} missing */
async function installWithApt(missing) {
  say('asking apt for the system libraries that are missing');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const update = await run('apt-get', ['update', '-qq'], { env, timeoutMs: 300_000 });
  if (update.code !== 0) throw aptFailure('apt-get update', update);
  const packages = await packagesFor('apt', missing, isKnownToApt);
  say(`installing ${packages.join(' ')}`);
  const args = ['install', '-y', '-qq', '--no-install-recommends', ...packages];
  const install = await run('apt-get', args, { env, timeoutMs: 900_000 });
  if (install.code !== 0) throw aptFailure(`apt-get install ${packages.join(' ')}`, install);
}

/** @param {string} name */
async function isKnownToApt(name) {
  const policy = await run('apt-cache', ['policy', name], { timeoutMs: 30_000 });
  return /Candidate: (?!\(none\))/.test(policy.output);
}

/**
 * @param {string} command
 * @param {import('../tools/command.mjs').CommandResult} result
 */
function aptFailure(command, result) {
  const lastLine = result.output.trim().split('\n').at(-1) ?? '';
  if (/Could not get lock|Unable to acquire/.test(result.output)) {
    return new Failure(
      'another apt or dpkg is running. Wait until it ends, then run the same command again.',
    );
  }
  const reason = result.timedOut ? 'it took too long' : lastLine;
  return new Failure(`\`${command}\` failed: ${reason}`);
}

function readOsRelease() {
  for (const file of ['/etc/os-release', '/usr/lib/os-release']) {
    if (existsSync(file)) return readFileSync(file, 'utf8');
  }
  return '';
}
