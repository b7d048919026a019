import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { run } from './tools/command.mjs';
import { Failure } from './tools/failure.mjs';
import { cacheFolder, root } from './tools/paths.mjs';

/**
 * One step of `npm test`.
 *
 * @typedef {object} Stage
 * @property {string} name
 * @property {() => Promise<Omit<StageResult, 'name'>>} work never rejects
 *
 * @typedef {object} StageResult
 * @property {string} name
 * @property {boolean} ok
 * @property {string} note one line for the person
 * @property {string} output shown where the stage failed
 * @property {number} passed tests
 * @property {number} failed
 * @property {number} skipped
 */

/** A stage that hangs must not keep the others from being reported. */
const limitMs = 20 * 60_000;
const noTests = { passed: 0, failed: 0, skipped: 0 };

/**
 * Runs a stage and prints its name, how it went and its time; what it printed only where it failed.
 *
 * @param {Stage} stage
 * @returns {Promise<StageResult>}
 */
export async function runStage(stage) {
  const startedAt = Date.now();
  const result = { name: stage.name, ...(await stage.work()) };
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  if (!result.ok) process.stdout.write(`${result.output.trimEnd()}\n`);
  process.stdout.write(
    `${result.ok ? 'ok    ' : 'FAILED'} ${stage.name} (${seconds} s)${dash(result.note)}\n`,
  );
  return result;
}

/**
 * A stage that is a command-line tool from node_modules.
 *
 * @param {string} name
 * @param {string} script below node_modules
 * @param {readonly string[]} args
 * @returns {Stage}
 */
export function tool(name, script, args) {
  return {
    name,
    async work() {
      const result = await runScriptOf(script, args);
      return {
        ok: result.code === 0,
        note: result.timedOut ? tooLong() : '',
        output: result.output,
        ...noTests,
      };
    },
  };
}

/**
 * A stage that prepares something for the next ones.
 *
 * @param {string} name
 * @param {() => Promise<void>} action
 * @returns {Stage}
 */
export function setUp(name, action) {
  return {
    name,
    async work() {
      try {
        await action();
        return { ok: true, note: '', output: '', ...noTests };
      } catch (error) {
        const output =
          error instanceof Failure ? error.message : String(error instanceof Error ? error.stack : error);
        return { ok: false, note: '', output, ...noTests };
      }
    },
  };
}

/**
 * A stage that is one project of build/vitest.config.ts, or the tests of one folder of it.
 *
 * @param {string} project
 * @param {string} folder where its tests are; that there are none is a failure
 * @param {{ name?: string, args?: readonly string[] }} [options] name: the project's where none is given
 * @returns {Stage}
 */
export function vitest(project, folder, { name = project, args = [] } = {}) {
  return {
    name,
    async work() {
      if (!hasTests(path.join(root, folder))) {
        return { ok: false, note: `no tests in ${folder}`, output: '', ...noTests };
      }
      const report = path.join(cacheFolder, `reports/${name.replace(/\W+/g, '-')}.json`);
      mkdirSync(path.dirname(report), { recursive: true });
      rmSync(report, { force: true });
      const result = await runScriptOf('vitest/vitest.mjs', [
        ...['run', '--config', 'build/vitest.config.ts', '--project', project],
        ...['--reporter', 'default', '--reporter', 'json', `--outputFile.json=${report}`],
        ...args,
        folder,
      ]);
      const counts = readCounts(report);
      if (counts === null)
        return { ok: false, note: 'it ended without a report', output: result.output, ...noTests };
      const words = `${counts.passed} passed${counts.failed > 0 ? `, ${counts.failed} failed` : ''}`;
      const note = result.timedOut ? tooLong() : words;
      const ok = result.code === 0 && counts.passed > 0;
      return { ok, note, output: result.output, ...counts };
    },
  };
}

/**
 * The unit tests, a stage for each folder of them. Those of `shared/` are about pure functions, so that they may share
 * a process, and load what all of them use once; those of `electron/` wait for real programs most of their time.
 *
 * @returns {readonly Stage[]}
 */
export function unitTests() {
  /** @type {Readonly<Record<string, readonly string[]>>} */
  const ways = { shared: ['--no-isolate'], electron: ['--maxWorkers', '4'] };
  return readdirSync(path.join(root, 'test/unit')).map((folder) =>
    vitest('unit', `test/unit/${folder}`, { name: `unit: ${folder}`, args: ways[folder] ?? [] }),
  );
}

/**
 * @param {string} script
 * @param {readonly string[]} args
 */
function runScriptOf(script, args) {
  const file = path.join(root, 'node_modules', script);
  return run(process.execPath, [file, ...args], { cwd: root, timeoutMs: limitMs });
}

/** @param {string} folder */
function hasTests(folder) {
  if (!existsSync(folder)) return false;
  return readdirSync(folder, { recursive: true }).some((file) => String(file).endsWith('.test.ts'));
}

/**
 * @param {string} report
 * @returns {{ passed: number, failed: number, skipped: number } | null}
 */
function readCounts(report) {
  if (!existsSync(report)) return null;
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  // A file that cannot even be loaded has no tests to count, and is a failure all the same.
  const broken = testResults.filter(
    (/** @type {{ status: string, assertionResults: unknown[] }} */ file) =>
      file.status === 'failed' && file.assertionResults.length === 0,
  );
  return { passed: numPassedTests, failed: numFailedTests + broken.length, skipped: numPendingTests };
}

function tooLong() {
  return `ended after ${limitMs / 60_000} minutes`;
}

/** @param {string} note */
function dash(note) {
  return note === '' ? '' : `: ${note}`;
}
