import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isOnPath } from '../tools/command.mjs';
import { root } from '../tools/paths.mjs';
import { stageRuntime } from './staging.mjs';

/** Names the checkout that a place belongs to. */
const checkoutFile = 'checkout';

/**
 * A place outside the checkout from which an unprivileged user can run the app. The checkout itself is often below
 * /root or another folder that only root may enter.
 *
 * @typedef {object} Place
 * @property {string} folder owned by root, entered only by the group of the unprivileged user
 * @property {string} command a script that starts Electron as that user
 * @property {{ uid: number, gid: number, home: string }} user
 * @property {Record<string, string | undefined>} env
 */

/**
 * Makes the place, or takes the one of an earlier start. The runtime's files are hard links where the file system
 * allows it, so this costs neither time nor disk.
 *
 * @param {import('./find.mjs').ElectronRuntime} runtime
 * @returns {Place | string} or why there can be none
 */
export function prepareUnprivileged(runtime) {
  if (!isOnPath('setpriv')) return '`setpriv` (util-linux) was not found, so the app cannot drop root';
  const nobody = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (!nobody) return 'there is no user `nobody` to run the app as';
  const uid = Number(nobody[1]);
  const gid = Number(nobody[2]);
  const folder = ownFolder(runtime, gid);
  const electron = path.join(folder, `electron-${runtime.version}`);
  if (!existsSync(electron)) stageRuntime(runtime.folder, electron);
  const home = path.join(folder, 'home');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  chownSync(home, uid, gid);
  const command = path.join(folder, `start-${runtime.version}`);
  const executable = path.join(electron, 'electron');
  const script = `#!/bin/sh\nexec setpriv --reuid ${uid} --regid ${gid} --clear-groups -- '${executable}' "$@"\n`;
  // Written once: another start may be reading it.
  if (!existsSync(command)) writeFileSync(command, script);
  chmodSync(command, 0o755); // Whatever the umask is.
  writeFileSync(path.join(folder, checkoutFile), root);
  removeOrphans(path.dirname(folder));
  return { folder, command, user: { uid, gid, home }, env: personalVariables(home) };
}

/**
 * Where user namespaces are switched off, Chromium's sandbox needs its helper to be setuid root. Nobody but the
 * unprivileged user's group can enter the folder it lies in.
 *
 * @param {Place} place
 */
export function allowSetuidHelper(place) {
  for (const name of readdirSync(place.folder).filter((entry) => entry.startsWith('electron-'))) {
    const helper = path.join(place.folder, name, 'chrome-sandbox');
    const copy = `${helper}.own`; // Not the hard link: the file in the cache keeps its mode.
    copyFileSync(helper, copy);
    chownSync(copy, 0, 0);
    chmodSync(copy, 0o4755);
    renameSync(copy, helper);
  }
}

/**
 * A folder of this checkout's under the temporary folder, on the same file system as the runtime if possible.
 *
 * @param {import('./find.mjs').ElectronRuntime} runtime
 * @param {number} gid
 */
function ownFolder(runtime, gid) {
  const device = statSync(runtime.folder).dev;
  const parents = [os.tmpdir(), '/var/tmp'].filter((parent) => existsSync(parent));
  const parent = parents.find((candidate) => statSync(candidate).dev === device) ?? os.tmpdir();
  const name = `headroom-${createHash('sha256').update(root).digest('hex').slice(0, 8)}`;
  const folder = path.join(parent, name);
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o750 });
  const found = lstatSync(folder);
  // Others may make folders there too: take only one that is really ours.
  const isOurs = found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0;
  const chosen = isOurs ? folder : mkdtempSync(path.join(parent, 'headroom-'));
  chownSync(chosen, 0, gid);
  chmodSync(chosen, 0o750);
  return chosen;
}

/**
 * Gives the unprivileged user root's key to the X server, so that windows can show on the real screen.
 *
 * @param {Place} place
 * @returns {Record<string, string>}
 */
export function shareScreenKey({ user }) {
  const key = process.env.XAUTHORITY ?? path.join(os.homedir(), '.Xauthority');
  if (!existsSync(key)) return {};
  const copy = path.join(user.home, '.Xauthority');
  copyFileSync(key, copy);
  chownSync(copy, user.uid, user.gid);
  chmodSync(copy, 0o600);
  return { XAUTHORITY: copy };
}

/**
 * Removes the places of checkouts that are gone: their links would keep a deleted Electron on the disk.
 *
 * @param {string} parent
 */
function removeOrphans(parent) {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith('headroom-'))) {
    const place = path.join(parent, name);
    const file = path.join(place, checkoutFile);
    if (lstatSync(place, { throwIfNoEntry: false })?.uid !== 0 || !existsSync(file)) continue;
    if (!existsSync(readFileSync(file, 'utf8'))) rmSync(place, { recursive: true, force: true });
  }
}

/**
 * Variables that name places of root's, which the unprivileged user may not enter.
 *
 * @param {string} home
 * @returns {Record<string, string | undefined>}
 */
function personalVariables(home) {
  return {
    HOME: home,
    USER: 'nobody',
    LOGNAME: 'nobody',
    XDG_CONFIG_HOME: undefined,
    XDG_CACHE_HOME: undefined,
    XDG_DATA_HOME: undefined,
    XDG_RUNTIME_DIR: undefined,
    DBUS_SESSION_BUS_ADDRESS: undefined,
  };
}
