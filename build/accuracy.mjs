import path from 'node:path';
import { ensureDependencies } from './setup/dependencies.mjs';
import { checkNode } from './setup/node.mjs';
import { Failure, runScript } from './tools/failure.mjs';
import { root } from './tools/paths.mjs';

const entry = path.join(root, 'test/accuracy/main.ts');

/**
 * `npm run accuracy`: compares estimates with measurements. The comparison is test/accuracy/main.ts, whose default
 * export takes the arguments, prints its table and gives the exit code.
 */
await runScript(async () => {
  checkNode();
  await ensureDependencies();
  const { importTypeScript } = await import('./typescript.mjs');
  const { default: main } = await importTypeScript(entry);
  if (typeof main !== 'function') throw new Failure('test/accuracy/main.ts has no default export to call.');
  return main(process.argv.slice(2));
});
