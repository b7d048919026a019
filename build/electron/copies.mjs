import { chownSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * Copies a small app to a temporary folder that the launcher's user can read and write.
 *
 * @param {import('./launcher.mjs').Launcher} launcher
 * @param {string} source a folder with a package.json
 * @returns {{ folder: string, remove: () => void }}
 */
export function temporaryCopy(launcher, source) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'headroom-copy-'));
  cpSync(source, folder, { recursive: true });
  if (launcher.user) chownSync(folder, launcher.user.uid, launcher.user.gid);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
