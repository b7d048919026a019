import { spawnSync } from 'node:child_process';
import {
  closeSync,
  createReadStream,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readUtf8 } from '../../electron/commands/input';
import { LogReader } from '../../shared/doctor/reader';
import { median, type Bench, type BenchRow } from './bench';

export const name = 'The doctor on logs of 100 MB, and its start on a short text';

const logBytes = 100e6;
/** The doctor may take three times as long as reading the file and doing nothing. */
const mostTimesReading = 3;
const runs = 3;

const oom =
  '[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 336.00 MiB. GPU 2 has a total capacity of 79.15 GiB of which 141.25 MiB is free. Of the allocated memory 77.21 GiB is allocated by PyTorch, and 283.51 MiB is reserved by PyTorch but unallocated.\n';

/** Logs by what they hold; a line for each index. */
const logs: readonly { what: string; line: (index: number) => string }[] = [
  {
    what: 'a training log with one failure in its middle',
    line: (index) =>
      index === 600_000
        ? oom
        : `[rank${index % 8}]: step ${index} loss 2.${index % 977} memory allocated 12.3 GiB reserved 14 GiB\n`,
  },
  {
    what: 'a progress bar that redraws one line',
    line: (index) =>
      `\rEpoch 1:  ${index % 100}%|####      | ${index}/9000000 [00:10<01:20, 12.3it/s, loss=2.345]`,
  },
  {
    what: 'a log in Chinese',
    line: (index) => `2026-03-03 09:00:00 信息 第 ${index} 步，损失 1.91，显存占用 18.2 GiB，共 24.0 GiB\n`,
  },
  {
    what: 'a warning that repeats in every line',
    line: (index) =>
      `WARNING: OOM: Ran out of memory with exception: CUDA out of memory. Tried to allocate ${index % 977}.16 GiB (GPU 3; 39.59 GiB total capacity; 30.44 GiB already allocated; 512.19 MiB free; 33.38 GiB reserved in total by PyTorch)\n`,
  },
];

/** The command's own path, from the file to the answer, against reading the same file and doing nothing. */
export const run: Bench = async (): Promise<readonly BenchRow[]> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'headroom-bench-'));
  try {
    const rows: BenchRow[] = [];
    for (const { what, line } of logs) {
      const file = path.join(folder, 'log.txt');
      writeLog(file, line);
      await readOnly(file);
      const doctor = await middleOf((watch) => diagnoseFile(file, watch));
      const reading = await middleOf(() => readOnly(file));
      const times = doctor.seconds / reading.seconds;
      rows.push({
        what,
        measured: `${(logBytes / 1e6 / doctor.seconds).toFixed(0)} MB/s, ${(doctor.heldBytes / 1e6).toFixed(0)} MB held`,
        baseline: `${(logBytes / 1e6 / reading.seconds).toFixed(0)} MB/s, reading alone`,
        result: `${times.toFixed(1)}x the time`,
        aim: `${mostTimesReading}x`,
        aimMet: times <= mostTimesReading,
      });
    }
    rows.push(...startRows(folder));
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** How often a program is started; the fastest start has met the fewest others. */
const starts = 9;
/** `--help` against `node -e 0`, and the doctor on a short text against `--help`. */
const mostTimesNode = 2.5;
const mostTimesHelp = 1.5;

function startRows(folder: string): readonly BenchRow[] {
  const file = path.join(folder, 'short.txt');
  writeFileSync(file, oom);
  const cli = path.join(import.meta.dirname, '../../dist/cli.cjs');
  const node = fastestStart(['-e', '0']);
  const help = fastestStart([cli, '--help']);
  const doctor = fastestStart([cli, 'doctor', file]);
  return [
    startRow('headroom --help', help, node, 'node -e 0', mostTimesNode),
    startRow('headroom doctor on a short text', doctor, help, '--help', mostTimesHelp),
  ];
}

function startRow(what: string, own: number, other: number, than: string, most: number): BenchRow {
  return {
    what,
    measured: `${own.toFixed(0)} ms`,
    baseline: `${other.toFixed(0)} ms, ${than}`,
    result: `${(own / other).toFixed(2)}x the time`,
    aim: `${most}x`,
    aimMet: own <= most * other,
  };
}

function fastestStart(args: readonly string[]): number {
  const milliseconds = Array.from({ length: starts }, () => {
    const start = process.hrtime.bigint();
    spawnSync(process.execPath, args, { stdio: 'ignore', timeout: 30_000 });
    return Number(process.hrtime.bigint() - start) / 1e6;
  });
  return Math.min(...milliseconds);
}

function writeLog(file: string, line: (index: number) => string): void {
  const descriptor = openSync(file, 'w');
  let written = 0;
  let index = 0;
  while (written < logBytes) {
    let block = '';
    while (block.length < 1e6) block += line(index++);
    written += writeSync(descriptor, block);
  }
  closeSync(descriptor);
}

interface Spent {
  readonly seconds: number;
  /** What the process held at most, beyond what it held before. */
  readonly heldBytes: number;
}

/** Called now and then while something works. */
type Watch = () => void;

async function middleOf(work: (watch: Watch) => Promise<void>): Promise<Spent> {
  const seconds: number[] = [];
  const held: number[] = [];
  for (let round = 0; round < runs; round += 1) {
    const before = process.memoryUsage().rss;
    let most = before;
    const start = process.hrtime.bigint();
    await work(() => {
      most = Math.max(most, process.memoryUsage().rss);
    });
    seconds.push(Number(process.hrtime.bigint() - start) / 1e9);
    held.push(most - before);
  }
  return { seconds: median(seconds), heldBytes: Math.max(...held) };
}

const partsBetweenLooks = 100;

async function diagnoseFile(file: string, watch: Watch = () => undefined): Promise<void> {
  const reader = new LogReader();
  const signal = new AbortController().signal;
  let parts = 0;
  for await (const part of readUtf8(file, 2 * logBytes, process.stdin, signal)) {
    reader.push(part);
    parts += 1;
    if (parts % partsBetweenLooks === 0) watch();
  }
  reader.finish();
}

async function readOnly(file: string): Promise<void> {
  let bytes = 0;
  for await (const chunk of createReadStream(file)) bytes += (chunk as Buffer).byteLength;
  if (bytes < logBytes) throw new Error(`${file} was not read to its end`);
}
