import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run } from '../tools/command.mjs';
import { cacheFolder, root } from '../tools/paths.mjs';
import { say } from '../tools/say.mjs';

const reachMs = 5_000;
const downloadMs = 15 * 60_000;
const retryAfterMs = 24 * 3_600_000;
const failureFile = path.join(cacheFolder, 'electron-download-failed');

/**
 * Downloads the official Electron with the package's own installer, which checks it against its checksums.
 * A release page that does not answer within seconds is not waited for, nor asked again for a day.
 *
 * @returns {Promise<string | null>} null when it is there, else why not, in a few words
 */
export async function downloadOfficial() {
  const remembered = recentFailure();
  if (remembered !== null) return remembered;
  const problem = (await whyUnreachable()) ?? (await install());
  if (problem !== null) rememberFailure(problem);
  return problem;
}

async function whyUnreachable() {
  const page =
    process.env.ELECTRON_MIRROR ??
    process.env.npm_config_electron_mirror ??
    'https://github.com/electron/electron/releases';
  try {
    await fetch(page, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(reachMs) });
    return null;
  } catch {
    return 'its download page cannot be reached'; // fetch only says "fetch failed"; the reason does not change what follows.
  }
}

async function install() {
  say('downloading Electron (about 110 MB, once)');
  const script = path.join(root, 'node_modules/electron/install.js');
  const result = await run(process.execPath, [script], { cwd: root, show: true, timeoutMs: downloadMs });
  if (result.code === 0) return null;
  return result.timedOut ? 'the download took too long' : 'the download failed';
}

/** @returns {string | null} */
function recentFailure() {
  try {
    const ageMs = Date.now() - statSync(failureFile).mtimeMs;
    return ageMs < retryAfterMs ? readFileSync(failureFile, 'utf8').trim() : null;
  } catch {
    return null; // No such file: it has not failed lately.
  }
}

/** @param {string} problem */
function rememberFailure(problem) {
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(failureFile, `${problem}\n`);
}
