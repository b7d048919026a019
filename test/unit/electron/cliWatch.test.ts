import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { scenesCommand } from '../../../electron/commands/scenes';
import { watchOver } from '../../../electron/commands/watch';
import { readRecording } from '../../../electron/sensing/recording';
import type { Snapshot } from '../../../shared/alerts/snapshot';
import { cardProblem, machineProblem } from '../../../shared/gpu/problems';
import { facts, hold, jobsOf } from '../shared/jobs/facts';
import { plainCard, snapshotOf } from '../shared/contract/typedSnapshot';
import { call } from './cliSupport';
import { isRunning, temporaryFolder, until } from './sensing/support';

const MiB = 1024 ** 2;
const card = plainCard(0, {
  name: 'NVIDIA GeForce RTX 3090',
  memoryUsedBytes: 12_288 * MiB,
  memoryTotalBytes: 24_576 * MiB,
  utilizationPercent: 97,
  temperatureC: 71,
  powerWatts: 340.6,
});
const full = snapshotOf({
  time: 1_700_000_000,
  cardsReadAt: 1_699_999_990,
  intervalSeconds: 1,
  source: { kind: 'simulated', sceneId: 'mig' },
  driverVersion: '550.1',
  cudaVersion: '12.4',
  cards: [card, { ...card, index: 1, memoryUsedBytes: null, temperatureC: null, lost: true }],
  jobs: jobsOf([facts({ pid: 7, command: ['python3', 'evil\u001b[2Jname.py'] })], [hold(7, 0, 2048 * MiB)]),
  problems: [cardProblem('card-lost', { index: 1, label: '1' })],
});

async function* given(...snapshots: readonly Snapshot[]): AsyncGenerator<Snapshot> {
  yield* snapshots;
}
const run = (
  snapshots: readonly Snapshot[],
  words: readonly string[],
  files: Readonly<Record<string, string>> = {},
) => call([watchOver(() => given(...snapshots))], ['watch', ...words], { files });

describe('headroom watch', () => {
  it('--json prints one Snapshot a line, its messages in words', async () => {
    const { code, stdout, stderr } = await run([full, full], ['--json']);
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({
      time: 1_700_000_000,
      cards: [
        { index: 0, memoryUsedBytes: 12_288 * MiB },
        { index: 1, memoryUsedBytes: null, lost: true },
      ],
      jobs: [{ memoryBytes: 2048 * MiB }],
      problems: [{ code: 'card-lost', message: 'Card 1 has fallen off the bus and no longer answers.' }],
      forecast: [],
      imbalance: [],
      alerts: [],
    });
  });

  it('--once takes one', async () => {
    expect((await run([full, full], ['--once', '--json'])).stdout.trim().split('\n')).toHaveLength(1);
  });

  it('without --json it is a table that a process name cannot steer', async () => {
    const { stdout } = await run([full], []);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/simulated: mig {2}driver 550\.1, CUDA 12\.4 {2}cards read 10 sec ago/);
    expect(stdout).toMatch(
      /0 +NVIDIA GeForce RTX 3090 +\[#{12}\.{12}\] +12\.0 GiB of 24\.0 GiB +97 % +71 °C +341 W/,
    );
    expect(stdout).toMatch(/1 +NVIDIA GeForce RTX 3090 +\[\.{24}\] +lost +97 % +unknown/);
    expect(stdout).toMatch(/evil\ufffd\[2Jname\.py +ada +0 +2\.0 GiB/);
    expect(stdout).toContain('! Card 1 has fallen off the bus and no longer answers.');
  });

  it('speaks Chinese', async () => {
    const { stdout } = await call([watchOver(() => given(full))], ['watch', '--once'], { locale: 'zh-CN' });
    expect(stdout).toContain('显存');
    expect(stdout).toContain('模拟：mig');
  });

  it('ends with 1 where no card could be asked, with 0 where one was', async () => {
    expect(
      (await run([snapshotOf({ problems: [machineProblem('command-missing')] })], ['--once'])).code,
    ).toBe(1);
    expect((await run([full], ['--once'])).code).toBe(0);
  });

  it.each([
    [
      ['--simulate', 'nothing'],
      /--simulate: no scene is called "nothing"; expected one of two-3090-oom, eight-healthy/,
    ],
    [['--interval', '0'], /--interval: "0" is not a number from 0\.1 to 3600/],
    [['--replay', 'f', '--simulate', 'mig'], /--simulate cannot be used together with --replay/],
    [['--replay', 'f', '--record', 'g'], /--record cannot be used together with --replay/],
    [['--replay', 'nowhere'], /nowhere: no such file/],
    [['--replay', 'f'], /f: line 1 is no recorded reading/],
    [['--replay', 'empty'], /empty: holds no reading/],
    [['--force'], /--force is for --record/],
    [['--record', '/nowhere/at/all.jsonl'], /\/nowhere\/at\/all\.jsonl: cannot be written \(ENOENT/],
    [['more'], /one argument too many/],
  ] as const)('%j is refused in one line', async (words, text) => {
    const { code, stdout, stderr } = await run([full], words, { f: 'no recording\n', empty: '\n' });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(text);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('overwrites no recording unless it is told to', async () => {
    const file = path.join(temporaryFolder(), 'record.jsonl');
    writeFileSync(file, 'an incident of last week\n');
    const refused = await run([full], ['--json', '--record', file]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toBe(
      `headroom watch: ${file}: is there already; give --force to overwrite it, or another name\n`,
    );
    expect(readFileSync(file, 'utf8')).toBe('an incident of last week\n');
    expect((await run([full], ['--json', '--record', file, '--force'])).code).toBe(0);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(2);
    // What is no file cannot be lost.
    expect((await run([full], ['--json', '--record', '/dev/null'])).code).toBe(0);
  });

  it.each([
    ['a card without a name of its kind', { ...full, cards: [{ index: 'first' }] }],
    ['a job without members', { ...full, jobs: [{ id: '1', title: 'x' }] }],
    ['a text of no kind', { ...full, alerts: [{ id: 'a', rule: 'r', text: 7 }] }],
    ['a host that is nothing', { ...full, host: {} }],
  ])('ends with one line where a recording is well-formed and holds %s', async (_what, wrong) => {
    const { code, stderr } = await run([], ['--replay', 'r'], { r: `${JSON.stringify(wrong)}\n` });
    expect(code).toBe(2);
    expect(stderr).toBe(
      'headroom watch: r: line 1 is no recorded reading; expected a file written by --record\n',
    );
  });

  it('prints and records no secret of a command line, and nothing that steers a terminal', async () => {
    const [job] = full.jobs;
    const member = job?.members[0];
    if (job === undefined || member === undefined) throw new Error('The scene has no job.');
    const command = ['python', 'train.py', '--hf-token', 'abc123', 'WANDB_API_KEY=k3y', '--name=a\u009bb'];
    const process = { ...member.process, command };
    const spied = { ...full, jobs: [{ ...job, members: [{ ...member, process }] }] };
    const { stdout } = await run([spied], ['--json']);
    expect(stdout).not.toMatch(/abc123|k3y|\u009b/);
    const printed: unknown = JSON.parse(stdout);
    expect(printed).toMatchObject({
      jobs: [
        {
          members: [
            {
              process: {
                command: ['python', 'train.py', '--hf-token', '***', 'WANDB_API_KEY=***', '--name=a\u009bb'],
              },
            },
          ],
        },
      ],
    });
  });

  it('replays what it recorded', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'headroom-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'record.jsonl');
    const later = { ...full, time: full.time + 0.2 };
    const live = await run([full, later], ['--json', '--record', file]);
    const replayed = await run([], ['--json', '--replay', 'r'], { r: readFileSync(file, 'utf8') });
    expect(replayed).toEqual(live);
  });
});

describe('headroom scenes', () => {
  it('lists them, as JSON and for people', async () => {
    const { code, stdout } = await call([scenesCommand], ['scenes', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toContainEqual({
      id: 'mig',
      title: 'MIG',
      description: 'Two A100 cards; the first is split into three instances, two of them in use.',
    });
    expect((await call([scenesCommand], ['scenes'])).stdout).toMatch(
      /^card-lost +Card lost +Card 2 of four/m,
    );
  });
});

describe('the built command', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'headroom-test-'));
  const cli = path.join(folder, 'cli.cjs');
  beforeAll(async () => {
    for (const [entry, outfile] of [
      ['electron/cli.ts', cli],
      ['electron/simulation/nvidiaSmi.ts', path.join(folder, 'nvidiaSmi.cjs')],
    ] as const)
      await build({
        absWorkingDir: path.resolve(import.meta.dirname, '../../..'),
        entryPoints: [entry],
        outfile,
        bundle: true,
        platform: 'node',
        format: 'cjs',
        logLevel: 'error',
      });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const headroom = (...words: readonly string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, [cli, ...words], { timeout: 60_000 }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
      );
    });

  it('plays a scene once, with the real processes behind it', async () => {
    const { code, stdout, stderr } = await headroom(
      'watch',
      '--once',
      '--simulate',
      'two-3090-oom',
      '--json',
    );
    expect([code, stderr]).toEqual([0, '']);
    const [snapshot] = await all(readRecording(pieces(stdout)));
    expect(snapshot?.cards.map(({ name }) => name)).toEqual(Array(2).fill('NVIDIA GeForce RTX 3090'));
    const job = snapshot?.jobs.find(({ title }) => title === 'finetune.py');
    expect(job?.memoryBytes).toBeGreaterThan(20_000 * MiB);
    expect(job?.members.map(({ role }) => role)).toEqual(['process', ...Array<string>(4).fill('worker')]);
    expect(job?.members.filter(({ process: { pid } }) => isRunning(pid))).toEqual([]);
  });

  it('answers 1 for a driver mismatch', async () => {
    const { code, stdout } = await headroom('watch', '--once', '--simulate', 'driver-mismatch');
    expect(code).toBe(1);
    expect(stdout).toContain('The NVIDIA driver was updated to 570.124');
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'after %s no process of the scene is left',
    async (signal) => {
      const child = spawn(process.execPath, [cli, 'watch', '--simulate', 'stray-contexts', '--json'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
      await until('two Snapshots', () => text.split('\n').length > 2);
      const [snapshot] = await all(readRecording(pieces(text.slice(0, text.indexOf('\n') + 1))));
      const pids = snapshot?.jobs.flatMap(({ members }) => members.map(({ process: { pid } }) => pid)) ?? [];
      expect(pids).toHaveLength(9);
      child.kill(signal);
      await until('the end of the command', () => child.exitCode !== null || child.signalCode !== null);
      if (signal !== 'SIGKILL') expect(child.exitCode).toBe(0);
      await until('the end of its processes', () => !pids.some(isRunning));
    },
  );
});

async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

async function all<Value>(values: AsyncIterable<Value>): Promise<readonly Value[]> {
  const list: Value[] = [];
  for await (const value of values) list.push(value);
  return list;
}
