import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isOnPath } from '../tools/command.mjs';
import { Failure } from '../tools/failure.mjs';
import { onEnd } from '../tools/cleanup.mjs';

/**
 * A virtual screen.
 *
 * @typedef {object} VirtualScreen
 * @property {string} display such as `:99`, for the DISPLAY variable
 * @property {() => Buffer} frame the whole screen now, as an X window dump
 * @property {() => void} stop
 */

/**
 * Starts Xvfb on a display number that it picks itself, so that several can run at a time.
 *
 * @param {{ width: number, height: number }} size in pixels
 * @returns {Promise<VirtualScreen>}
 * @throws {Failure}
 */
export async function startXvfb({ width, height }) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'headroom-screen-'));
  // -ac: the app runs as another user than we do where we are root; only programs of this machine can connect.
  const args = [
    '-displayfd',
    '3',
    '-screen',
    '0',
    `${width}x${height}x24`,
    '-fbdir',
    folder,
    '-ac',
    '-nocursor',
    '-nolisten',
    'tcp',
  ];
  // The screen must not stay behind when we are killed hard.
  const command = isOnPath('setpriv') ? ['setpriv', '--pdeathsig', 'TERM', 'Xvfb'] : ['Xvfb'];
  const child = spawn(command[0] ?? 'Xvfb', [...command.slice(1), ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const stop = () => {
    forget();
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  const forget = onEnd(stop);
  try {
    const number = await displayNumber(child);
    return { display: `:${number}`, frame: () => readFileSync(path.join(folder, 'Xvfb_screen0')), stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>} once the server takes connections
 */
function displayNumber(child) {
  return new Promise((resolve, reject) => {
    let printed = '';
    const fail = (/** @type {string} */ why) =>
      reject(new Failure(`the virtual screen (Xvfb) did not start: ${why}`));
    const timer = setTimeout(() => fail('no answer within 20 s'), 20_000);
    child.stderr?.on('data', (chunk) => (printed = (printed + chunk).slice(-2000)));
    child.on('error', (error) => fail(error.message));
    child.on('exit', () => fail(printed.trim().split('\n').at(-1) ?? 'it ended at once'));
    const pipe = /** @type {import('node:stream').Readable} */ (child.stdio[3]);
    let number = '';
    pipe.on('data', (chunk) => {
      number += chunk;
      if (!number.includes('\n')) return;
      clearTimeout(timer);
      resolve(number.trim());
    });
  });
}
