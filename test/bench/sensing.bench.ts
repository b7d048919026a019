import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Bench, BenchRow } from './bench';

export const name = 'Sensing';

const processes = 400;
const windows = 7;
const aimMs = 10;

/** CPU of the sampler a tick, everything included: cards, processes, files, jobs, the rules over them, the host. */
export const run: Bench = async ({ appFolder }): Promise<readonly BenchRow[]> => {
  if (process.platform !== 'linux') return [];
  const standIn = path.join(appFolder, 'dist/nvidiaSmi.cjs');
  const { processes: counted, earlyMs, tickMs, lookMs } = await measure(standIn);
  return [
    {
      what: `CPU a tick, 16 cards, ${counted} processes`,
      measured: `${tickMs.toFixed(1)} ms`,
      baseline: `${lookMs.toFixed(1)} ms, every stat file once`,
      result: `${(tickMs / lookMs).toFixed(2)}x`,
      aim: `${aimMs} ms`,
      aimMet: tickMs <= aimMs,
    },
    {
      what: 'the same, right after the start',
      measured: `${earlyMs.toFixed(1)} ms`,
      baseline: '',
      result: `${(earlyMs / lookMs).toFixed(2)}x`,
      aim: null,
      aimMet: null,
    },
  ];
};

interface Cost {
  readonly processes: number;
  readonly earlyMs: number;
  readonly tickMs: number;
  readonly lookMs: number;
}

/** The sampler alone in a process, as in the app. */
async function measure(standInPath: string): Promise<Cost> {
  const folder = mkdtempSync(path.join(tmpdir(), 'headroom-bench-'));
  try {
    const program = path.join(folder, 'samplerCost.mjs');
    await build({
      entryPoints: [path.join(import.meta.dirname, 'samplerCost.ts')],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      // systeminformation is CommonJS and asks for Node's own modules by `require`.
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    });
    const { stdout } = await promisify(execFile)(process.execPath, [
      program,
      standInPath,
      String(processes),
      String(windows),
    ]);
    return readCost(JSON.parse(stdout));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readCost(value: unknown): Cost {
  if (
    typeof value === 'object' &&
    value !== null &&
    'processes' in value &&
    'earlyMs' in value &&
    'tickMs' in value &&
    'lookMs' in value &&
    typeof value.processes === 'number' &&
    typeof value.earlyMs === 'number' &&
    typeof value.tickMs === 'number' &&
    typeof value.lookMs === 'number'
  )
    return {
      processes: value.processes,
      earlyMs: value.earlyMs,
      tickMs: value.tickMs,
      lookMs: value.lookMs,
    };
  throw new Error(`the sampler's cost was told as ${JSON.stringify(value)}`);
}
