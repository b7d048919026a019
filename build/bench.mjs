import { readdirSync } from 'node:fs';
import path from 'node:path';
import { openVirtualScreen } from './display/open.mjs';
import { prepareLauncher, readableApp } from './electron/launcher.mjs';
import { ensureBuilt } from './inputs.mjs';
import { setUpEverything } from './setup/everything.mjs';
import { formatTable } from './table.mjs';
import { Failure, runScript } from './tools/failure.mjs';
import { root } from './tools/paths.mjs';

/** @typedef {import('../test/bench/bench.ts').BenchRow} BenchRow */

const folder = path.join(root, 'test/bench');
const screenSize = { width: 1280, height: 800 };

/** Takes a quarter of an hour, so it runs only when it is asked for. */
const soak = 'soak.bench.ts';

/** `npm run bench [-- WORD]`: runs test/bench/*.bench.ts, or those with WORD in their name, and prints their ratios. */
await runScript(async () => {
  const runtime = await setUpEverything({ virtualScreen: process.platform === 'linux' });
  await ensureBuilt();
  const screen = await openVirtualScreen(screenSize);
  const launcher = await prepareLauncher(runtime, screen);
  const context = { launcher, appFolder: readableApp(launcher, root), screen: screen.virtual };

  const word = process.argv[2] ?? '';
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.bench.ts') && file.includes(word))
    .filter((file) => word !== '' || file !== soak);
  if (files.length === 0) throw new Failure(`no file in test/bench has "${word}" in its name.`);
  const { importTypeScript } = await import('./typescript.mjs');
  for (const file of files) {
    const { name, run } = await importTypeScript(path.join(folder, file));
    if (typeof run !== 'function') throw new Failure(`test/bench/${file} exports no function \`run\`.`);
    process.stdout.write(`${name}\n`);
    process.stdout.write(`${formatRows(await run(context))}\n`);
  }
  screen.virtual?.stop();
});

/** @param {readonly BenchRow[]} rows */
function formatRows(rows) {
  if (rows.length === 0) return '  cannot be measured on this system\n';
  const head = ['', 'measured', 'compared with', 'result', 'aim', ''];
  const lines = rows.map((row) => [
    row.what,
    row.measured,
    row.baseline,
    row.result,
    row.aim ?? '',
    verdict(row),
  ]);
  return formatTable([head, ...lines]);
}

/** @param {BenchRow} row */
function verdict({ aimMet }) {
  if (aimMet === null) return '';
  return aimMet ? 'met' : 'MISSED';
}
