/** Runs a program of this folder in a process of its own: counting slows all code of its process down. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

/** One input and by how much its steps grow when it is doubled; `fault` where reading it threw. */
export interface Growth {
  readonly input: string;
  readonly growth: number;
  readonly fault: string | null;
}

/** The lines that a program prints, each a Growth as JSON. */
export async function growthsOf(program: string): Promise<readonly Growth[]> {
  const folder = await mkdtemp(join(tmpdir(), 'headroom-steps-'));
  try {
    await build({
      entryPoints: [join(import.meta.dirname, program)],
      outdir: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      outExtension: { '.js': '.mjs' },
      banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    });
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--max-old-space-size=1024', join(folder, program.replace(/\.ts$/, '.mjs'))],
      { maxBuffer: 2 ** 24 },
    );
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Growth);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
