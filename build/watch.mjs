import path from 'node:path';
import * as esbuild from 'esbuild';
import * as vite from 'vite';
import { nodeOptions, pageOptions, requireEntries } from './bundle.mjs';

/**
 * Builds the app into a folder now and after every change of a source. A build that fails is told and skipped.
 *
 * @param {string} dist
 * @param {() => void} onBuilt after each build that worked, once both halves are there
 */
export async function watchSources(dist, onBuilt) {
  requireEntries();
  const done = { programs: false, page: false };
  const report = (/** @type {keyof typeof done} */ half) => {
    done[half] = true;
    if (done.programs && done.page) onBuilt();
  };
  /** @type {import('esbuild').Plugin} */
  const tellBuilt = {
    name: 'tell-built',
    setup: ({ onEnd }) => onEnd(({ errors }) => (errors.length === 0 ? report('programs') : undefined)),
  };
  const context = await esbuild.context({
    ...nodeOptions(dist, false),
    logLevel: 'error',
    plugins: [tellBuilt],
  });
  await context.watch();
  const watcher = await vite.build(watched(pageOptions(path.join(dist, 'renderer'))));
  if (!('on' in watcher)) throw new Error('vite gave no watcher');
  watcher.on('event', (event) => {
    if (event.code === 'ERROR') process.stderr.write(`${event.error.message}\n`);
    if (event.code === 'END') report('page');
  });
}

/**
 * @param {import('vite').InlineConfig} options
 * @returns {import('vite').InlineConfig}
 */
function watched(options) {
  return { ...options, build: { ...options.build, watch: {}, minify: false } };
}
