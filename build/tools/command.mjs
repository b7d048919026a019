import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** Enough for the last lines of any tool; more of a runaway output is dropped. */
const outputLimit = 1_000_000;

/**
 * @typedef {object} CommandResult
 * @property {number | null} code exit code, null when a signal ended it or it could not be started
 * @property {string} output stdout and stderr together, the newest {@link outputLimit} characters
 * @property {boolean} notFound there is no such program
 * @property {boolean} timedOut it was ended because it took too long
 */

/**
 * Runs a program, without a shell and without stdin, and waits for it to end.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ timeoutMs: number, cwd?: string, env?: NodeJS.ProcessEnv, show?: boolean }} options
 *   show: what it prints is passed on to our stderr while it runs
 * @returns {Promise<CommandResult>} never rejects
 */
export function run(program, args, options) {
  return new Promise((resolve) => {
    let output = '';
    let timedOut = false;
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, options.timeoutMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-outputLimit);
        if (options.show) process.stderr.write(chunk);
      });
    }
    child.on('error', (error) => {
      clearTimeout(timer);
      const notFound = 'code' in error && error.code === 'ENOENT';
      resolve({ code: null, output: output + error.message, notFound, timedOut });
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, output, notFound: false, timedOut });
    });
  });
}

/**
 * Runs npm. Its script is started with our own Node, because on Windows `npm` is a command file that needs a shell.
 *
 * @param {readonly string[]} args
 * @param {Parameters<typeof run>[2]} options
 */
export function npm(args, options) {
  const candidates = [
    process.env.npm_execpath ?? '',
    path.join(path.dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js'),
    path.join(path.dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js'),
  ];
  const script = candidates.find((file) => path.basename(file) === 'npm-cli.js' && existsSync(file));
  return script ? run(process.execPath, [script, ...args], options) : run('npm', args, options);
}

/**
 * Whether a program is on the search path.
 *
 * @param {string} program
 */
export function isOnPath(program) {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.some((folder) => folder !== '' && existsSync(path.join(folder, program)));
}
