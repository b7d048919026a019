/** `node test/real-card/writeVariants.mjs FOLDER` writes every variant of train.py with its files, one folder each. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const target = process.argv[2];
if (target === undefined) {
  process.stderr.write('usage: node test/real-card/writeVariants.mjs FOLDER\n');
  process.exit(2);
}
const temporary = mkdtempSync(join(tmpdir(), 'headroom-variants-'));
try {
  const outfile = join(temporary, 'variants.cjs');
  await build({
    stdin: {
      contents:
        "export { launchFolder } from './shared/launch/folder'; export { variants } from './test/unit/shared/launch/variants';",
      resolveDir: join(import.meta.dirname, '../..'),
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
  });
  const { launchFolder, variants } = createRequire(import.meta.url)(outfile);
  for (const [name, plan] of Object.entries(variants)) {
    mkdirSync(join(target, name), { recursive: true });
    for (const file of launchFolder(plan, 'en')) writeFileSync(join(target, name, file.name), file.text);
  }
  process.stdout.write(`${Object.keys(variants).length} variants in ${target}\n`);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
