import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gpuRowReader } from '../../shared/gpu/smi/queryGpu';
import { appRowReader, usualAppFields } from '../../shared/gpu/smi/queryApps';
import { readOutput } from '../../shared/gpu/smi/output';
import { median, type Bench, type BenchRow } from './bench';

export const name = 'Parsers of nvidia-smi';

const fixtures = path.resolve('test/fixtures/smi');
const targetBytes = 4_000_000;
const rounds = 5;
const mb = 1_000_000;

/** The line repeated to about 4 MB: long enough to time. */
function repeated(text: string): string {
  return text.repeat(Math.max(1, Math.ceil(targetBytes / text.length)));
}

function fixture(file: string): string {
  return readFileSync(path.join(fixtures, file), 'utf8');
}

/** Processor seconds that some work over about 4 MB takes; waiting for a busy machine does not count. */
function secondsFor(text: string, work: (text: string) => unknown): number {
  const times = Math.max(1, Math.ceil(targetBytes / text.length));
  const begin = process.cpuUsage();
  for (let time = 0; time < times; time++) if (work(text) === null) throw new Error('nothing was read');
  const used = process.cpuUsage(begin);
  return (used.user + used.system) / 1_000_000;
}

/** The least that any parser of text must do: cut it into lines and those into words. */
function cutIntoWords(text: string): number {
  let words = 0;
  for (const line of text.split('\n')) words += line.split(/[\s,]+/).length;
  return words;
}

/** Work and baseline by turns, the middle of some rounds after one to warm up. */
function row(what: string, text: string, work: (text: string) => unknown, aim: number): BenchRow {
  const parsing: number[] = [];
  const cutting: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const parsed = secondsFor(text, work);
    const cut = secondsFor(text, cutIntoWords);
    if (round > 0) {
      parsing.push(parsed);
      cutting.push(cut);
    }
  }
  const megabytes = (text.length * Math.max(1, Math.ceil(targetBytes / text.length))) / mb;
  const times = median(parsing) / median(cutting);
  return {
    what,
    measured: `${(megabytes / median(parsing)).toFixed(0)} MB/s`,
    baseline: `${(megabytes / median(cutting)).toFixed(0)} MB/s, lines cut into words`,
    result: `${times.toFixed(1)}x its time`,
    aim: `${aim}x`,
    aimMet: times <= aim,
  };
}

const streamFields = [
  'timestamp',
  'index',
  'uuid',
  'name',
  'memory.total',
  'memory.used',
  'memory.free',
  'utilization.gpu',
  'utilization.memory',
  'temperature.gpu',
  'power.draw',
  'power.limit',
  'clocks.sm',
  'fan.speed',
  'pstate',
  'clocks_event_reasons.active',
];
const streamLine =
  '2026/11/29 14:38:02.129, 0, GPU-bae1eb86-3098-d76c-c5c4-a91a2d461618, NVIDIA H200, 143771, 4343, 138814, 0, 0, 37, 121.19, 700.00, 1980, [N/A], P0, 0x0000000000000000\n';
const appLine = 'GPU-bae1eb86-3098-d76c-c5c4-a91a2d461618, 411, /opt/torch/.venv/bin/python3, 4334\n';

function readLines(read: (line: string) => unknown): (text: string) => unknown {
  return (text) => {
    let rows = 0;
    for (const line of text.split('\n')) if (read(line) !== null) rows++;
    if (rows === 0) throw new Error('nothing was read');
    return rows;
  };
}

/** What the app reads all day (streams) and what people paste, against cutting the same text into words in the same run. */
export const run: Bench = async (): Promise<readonly BenchRow[]> => [
  row('card stream', repeated(streamLine), readLines(gpuRowReader(streamFields)), 8),
  row('process stream', repeated(appLine), readLines(appRowReader(usualAppFields)), 8),
  row('-q -x', fixture('rtx4000sffada-595.84-q.xml'), readOutput, 8),
  row('-q', fixture('h100x8-535.183.01-q.txt'), readOutput, 8),
  row('table', fixture('rtx-2080-super-591.86-win-load-table.txt'), readOutput, 8),
  row('pmon', fixture('rtx-2080-super-591.86-win-load-pmon.txt'), readOutput, 8),
];
