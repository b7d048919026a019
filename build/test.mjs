import os from 'node:os';
import { setUpEverything } from './setup/everything.mjs';
import { runStage, setUp, tool, unitTests, vitest } from './stages.mjs';
import { runScript } from './tools/failure.mjs';

/** @typedef {import('./stages.mjs').Stage} Stage */

/**
 * Need nothing but the sources and do not touch each other, so they share the cores.
 *
 * @type {readonly Stage[]}
 */
const checks = [
  tool('format', 'prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.']),
  tool('lint', 'eslint/bin/eslint.js', ['--max-warnings', '0', '.']),
  tool('unused', 'knip/bin/knip.js', ['--config', 'build/knip.json']),
  tool('types: shared', 'typescript/bin/tsc', ['-p', 'shared']),
  tool('types: electron', 'typescript/bin/tsc', ['-p', 'electron']),
  tool('types: renderer', 'svelte-check/bin/svelte-check', [
    ...['--tsconfig', 'renderer/tsconfig.json', '--fail-on-warnings', '--output', 'human'],
  ]),
];

/**
 * Each uses all cores, and those after the build what it wrote.
 *
 * @type {readonly Stage[]}
 */
const tests = [
  ...unitTests(),
  vitest('component', 'test/component'),
  vitest('accuracy', 'test/accuracy'),
  setUp('build', async () => {
    const { ensureBuiltForTests } = await import('./inputs.mjs');
    await ensureBuiltForTests();
  }),
  vitest('built', 'test/built'),
  vitest('e2e', 'test/e2e'),
  // Packages are made on Linux here; on Windows by the release workflow only.
  ...(process.platform === 'linux' ? [vitest('packed', 'test/packed')] : []),
];

/** `npm test`: the same set-up as `npm start`, then every check and test there is. All run, whatever fails before. */
await runScript(async () => {
  await setUpEverything({ virtualScreen: process.platform === 'linux' });

  const results = [...(await inLanes(checks, Math.min(2, os.cpus().length))), ...(await inLanes(tests, 1))];

  const failed = results.filter((result) => !result.ok).map((result) => result.name);
  if (failed.length > 0) process.stdout.write(`\nfailed: ${failed.join(', ')}\n`);
  const sum = (/** @type {'passed' | 'failed' | 'skipped'} */ key) =>
    results.reduce((total, result) => total + result[key], 0);
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped}\n`);
  return failed.length === 0 ? 0 : 1;
});

/**
 * @param {readonly Stage[]} stages
 * @param {number} lanes how many run at a time
 */
async function inLanes(stages, lanes) {
  const waiting = [...stages];
  /** @type {import('./stages.mjs').StageResult[]} */
  const results = [];
  const lane = async () => {
    for (let stage = waiting.shift(); stage; stage = waiting.shift()) results.push(await runStage(stage));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
