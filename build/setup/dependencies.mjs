import { readFileSync } from 'node:fs';
import path from 'node:path';
import { npm } from '../tools/command.mjs';
import { Failure } from '../tools/failure.mjs';
import { root } from '../tools/paths.mjs';
import { say } from '../tools/say.mjs';

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, link?: boolean }} LockedPackage
 * @typedef {Record<string, LockedPackage>} LockedPackages  by path, such as `node_modules/vite`
 */

/** A slow network gets its time; one that is stuck is noticed. */
const installMs = 30 * 60_000;

/**
 * Installs the locked dependencies when node_modules is missing or does not match the lock file.
 *
 * @throws {Failure} with what to do about it
 */
export async function ensureDependencies() {
  const wanted = readLocked(path.join(root, 'package-lock.json'));
  if (wanted === null) throw new Failure('package-lock.json is missing or damaged. Clone the project again.');
  const installed = readLocked(path.join(root, 'node_modules/.package-lock.json'));
  const reason = whyOutdated(wanted, installed);
  if (reason === null) return;
  say(`${reason}: installing with npm ci (a minute or two the first time)`);
  // --include=dev: everything the build needs is a development dependency, also where NODE_ENV=production is set.
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const result = await npm(args, { cwd: root, show: true, timeoutMs: installMs });
  if (result.code !== 0) throw new Failure(installFailure(result));
}

/**
 * @param {LockedPackages} wanted
 * @param {LockedPackages | null} installed null when nothing is installed
 * @returns {string | null} why an install is needed, null when it is not
 */
export function whyOutdated(wanted, installed) {
  if (installed === null) return 'node_modules is missing';
  for (const [folder, locked] of Object.entries(wanted)) {
    if (folder === '') continue;
    const present = installed[folder];
    // npm leaves out the optional packages of other systems.
    if (present === undefined && locked.optional) continue;
    if (present?.version !== locked.version || present?.integrity !== locked.integrity) {
      return `${folder} is not the locked version`;
    }
  }
  return null;
}

/**
 * @param {string} file a lock file
 * @returns {LockedPackages | null} null when it cannot be read
 */
function readLocked(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? null;
  } catch {
    return null; // A missing or half-written file means the same here: install.
  }
}

/** @param {import('../tools/command.mjs').CommandResult} result */
function installFailure(result) {
  if (result.timedOut)
    return `npm ci was ended after ${installMs / 60_000} minutes. Check the network, then run the same command again.`;
  if (result.notFound) return 'npm was not found. It comes with Node: install Node again.';
  if (/ENOSPC/.test(result.output))
    return 'the disk is full. Free about 1 GB, then run the same command again.';
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH/.test(result.output)) {
    return 'npm could not reach its registry. Check the network and `npm config get registry`, then run the same command again.';
  }
  if (/EACCES|EPERM/.test(result.output)) {
    return 'npm may not write node_modules. Check who owns the folder, then run the same command again.';
  }
  return `npm ci failed with code ${result.code}. What it printed is above.`;
}
