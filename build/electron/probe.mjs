import path from 'node:path';
import { run } from '../tools/command.mjs';
import { root } from '../tools/paths.mjs';
import { temporaryCopy } from './copies.mjs';
import { environmentOf } from './environment.mjs';

/**
 * Opens an invisible window with a sandboxed page, the way the app does, and closes it again.
 *
 * @param {import('./launcher.mjs').Launcher} launcher
 * @returns {Promise<string | null>} null when the page loaded, else why not, in a few words
 */
export async function probe(launcher) {
  const copy = temporaryCopy(launcher, path.join(root, 'build/electron/probe'));
  try {
    const args = [...launcher.flags, `--user-data-dir=${path.join(copy.folder, 'data')}`, copy.folder];
    const result = await run(launcher.command, args, { env: environmentOf(launcher), timeoutMs: 30_000 });
    if (result.code === 0) return null;
    return result.timedOut ? 'no window within 30 s' : lastComplaint(result.output);
  } finally {
    copy.remove();
  }
}

/**
 * The line that tells why, without Chromium's time stamps.
 *
 * @param {string} output
 */
function lastComplaint(output) {
  if (output.includes('SUID sandbox helper')) {
    return "this system allows the sandbox neither by user namespaces nor by Electron's setuid helper";
  }
  if (/Missing X server|cannot open display/i.test(output)) {
    return `the screen "${process.env.DISPLAY ?? ''}" cannot be opened. Unset DISPLAY to use a virtual one`;
  }
  const lines = output.split('\n').map((line) => line.replace(/^\[[^\]]*\]\s*/, '').trim());
  const telling = lines.find((line) => /sandbox|error while loading|cannot open/i.test(line));
  return telling ?? lines.filter((line) => line !== '').at(-1) ?? 'it ended without a word';
}
