import { spawn } from 'node:child_process';
import path from 'node:path';
import { ensureBuilt } from './inputs.mjs';
import { ensureDependencies } from './setup/dependencies.mjs';
import { checkNode } from './setup/node.mjs';
import { runScript } from './tools/failure.mjs';
import { distFolder } from './tools/paths.mjs';

/** `npm run --silent headroom -- …`: the `headroom` command of this checkout, built first where it is outdated. */
await runScript(async () => {
  checkNode();
  await ensureDependencies();
  await ensureBuilt();
  // npm runs scripts in the checkout; the files on the command line are meant from where the person is.
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const args = [path.join(distFolder, 'cli.cjs'), ...process.argv.slice(2)];
  const command = spawn(process.execPath, args, { cwd, stdio: 'inherit' });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => command.kill(signal));
  }
  return new Promise((resolve, reject) => {
    command.on('error', reject);
    command.on('exit', (code) => resolve(code ?? 1));
  });
});
