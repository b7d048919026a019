import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';

const oldAppAfterMs = 24 * 3_600_000;

/**
 * Puts the runtime where the unprivileged user can read it.
 *
 * @param {string} runtime
 * @param {string} target does not exist yet; its parent does
 */
export function stageRuntime(runtime, target) {
  const work = mkdtempSync(path.join(path.dirname(target), 'work-'));
  linkTree(runtime, work);
  moveInto(work, target);
}

/**
 * Copies a built app to where the unprivileged user can read it. One copy a build, so that an app that is running
 * keeps its files while the next build is made.
 *
 * @param {string} app a folder with package.json and dist/
 * @param {string} folder where the copies are kept
 * @returns {string} the copy
 */
export function stageApp(app, folder) {
  const build = readFileSync(path.join(app, 'dist/build.json'), 'utf8');
  const target = path.join(
    folder,
    `app-${createHash('sha256')
      .update(app + build)
      .digest('hex')
      .slice(0, 12)}`,
  );
  removeOldApps(folder, target);
  if (existsSync(target)) return target;
  const work = mkdtempSync(path.join(folder, 'work-'));
  copyFileSync(path.join(app, 'package.json'), path.join(work, 'package.json'));
  cpSync(path.join(app, 'dist'), path.join(work, 'dist'), { recursive: true });
  readableForAll(work);
  moveInto(work, target);
  return target;
}

/**
 * @param {string} from
 * @param {string} to an existing folder
 */
function linkTree(from, to) {
  chmodSync(to, 0o755); // Whatever the umask is.
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = path.join(from, entry.name);
    const target = path.join(to, entry.name);
    if (entry.isDirectory()) {
      mkdirSync(target);
      linkTree(source, target);
    } else {
      linkOrCopy(source, target);
    }
  }
}

/**
 * @param {string} source
 * @param {string} target
 */
function linkOrCopy(source, target) {
  const mode = statSync(source).mode;
  const isReadable = (mode & 0o004) !== 0; // A link shares the mode, so what others may not read is copied.
  if (isReadable && tryLink(source, target)) return;
  copyFileSync(source, target);
  chmodSync(target, (mode & 0o777) | 0o555);
}

/**
 * @param {string} source
 * @param {string} target
 * @returns {boolean} false on another file system or where links are not allowed
 */
function tryLink(source, target) {
  try {
    linkSync(source, target);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EXDEV' || code === 'EPERM' || code === 'EMLINK' || code === 'ENOTSUP') return false;
    throw error;
  }
}

/** @param {string} folder */
function readableForAll(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) readableForAll(file);
    else chmodSync(file, 0o644);
  }
}

/**
 * @param {string} work
 * @param {string} target
 */
function moveInto(work, target) {
  try {
    renameSync(work, target);
  } catch (error) {
    rmSync(work, { recursive: true, force: true });
    if (!existsSync(target)) throw error; // Else another start was faster, with the same files.
  }
}

/**
 * @param {string} folder
 * @param {string} keep
 */
function removeOldApps(folder, keep) {
  for (const name of readdirSync(folder)) {
    const app = path.join(folder, name);
    if (!name.startsWith('app-') || app === keep) continue;
    if (Date.now() - statSync(app).mtimeMs > oldAppAfterMs) rmSync(app, { recursive: true, force: true });
  }
}
