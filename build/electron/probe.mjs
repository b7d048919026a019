import { chownSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../tools/command.mjs';
import { root } from '../tools/paths.mjs';
import { environmentOf } from './environment.mjs';

/**
 * Opens an invisible window with a sandboxed page, the way the app does, and closes it again.
 *
 * @param {import('./launcher.mjs').Launcher} launcher
 * @returns {Promise<string | null>} null when the page loaded, else why not, in a few words
 */
export async function probe(launcher) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'headroom-probe-'));
  try {
    cpSync(path.join(root, 'build/electron/probe'), folder, { recursive: true });
    if (launcher.user) chownSync(folder, launcher.user.uid, launcher.user.gid);
    const args = [...launcher.flags, `--user-data-dir=${path.join(folder, 'data')}`, folder];
    const result = await run(launcher.command, args, { env: environmentOf(launcher), timeoutMs: 30_000 });
    if (result.code === 0) return null;
    return result.timedOut ? 'no window within 30 s' : lastComplaint(result.output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} output */
function lastComplaint(output) {
  const lines = output.split('\n').map((line) => line.replace(/^\[[^\]]*\]\s*/, '').trim());
  const fatal = lines.find((line) => /sandbox|X display|error while loading|cannot open/i.test(line));
  return fatal ?? lines.filter((line) => line !== '').at(-1) ?? 'it ended without a word';
}
