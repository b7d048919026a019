import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LineStream, type LineStreamLimits, type StreamState } from '../../../../electron/sensing/lineStream';
import type { ProgramCall } from '../../../../electron/programs/programCall';
import { isRunning, nodeProgram, pause, temporaryFolder, until } from './support';

const patient: LineStreamLimits = {
  silenceMs: null,
  firstLineMs: null,
  giveUpMs: 60_000,
  maxLineBytes: 1000,
  maxBytesPerSecond: 1_000_000,
};

function follow(call: ProgramCall, limits: Partial<LineStreamLimits> = {}) {
  const lines: string[] = [];
  const times: number[] = [];
  const states: StreamState[] = [];
  const stream = new LineStream(
    call,
    [],
    { ...patient, ...limits },
    {
      onLine: (line) => {
        lines.push(line);
        times.push(Date.now());
      },
      onState: (state) => states.push(state),
    },
  );
  onTestFinished(() => stream.stop());
  stream.start();
  return { stream, lines, times, states, kinds: () => states.map(({ kind }) => kind) };
}

const printsPid = 'console.log(process.pid);';
const staysAlive = 'setInterval(() => {}, 1000);';

describe('a stream of lines', () => {
  it('hands on whole lines, however they arrive, and Windows line ends too', async () => {
    const { lines } = follow(
      nodeProgram(
        `process.stdout.write('one\\r\\ntw'); setTimeout(() => process.stdout.write('o\\nthr\\u00e9e\\n'), 100); ${staysAlive}`,
      ),
    );
    await until('three lines', () => lines.length === 3);
    expect(lines).toEqual(['one', 'two', 'thr\u00e9e']);
  });

  it('is started again when it ends, with growing pauses and never twice at a time', async () => {
    const { lines, times, states } = follow(nodeProgram(`${printsPid} process.exitCode = 3;`));
    await until('three starts', () => lines.length >= 3);
    expect(new Set(lines).size).toBe(lines.length);
    expect(states.find(({ kind }) => kind === 'ended')).toMatchObject({
      kind: 'ended',
      exitCode: 3,
      signal: null,
      lastLines: lines[0],
    });
    const [first = 0, second = 0, third = 0] = times;
    expect(second - first).toBeGreaterThan(450);
    expect(third - second).toBeGreaterThan(950);
  });

  it('tells what a program printed before it ended, on both channels', async () => {
    const { states } = follow(
      nodeProgram(`console.log('said'); console.error('and complained'); process.exitCode = 9`),
    );
    await until('its end', () => states.some(({ kind }) => kind === 'ended'));
    const ended = states.find((state) => state.kind === 'ended');
    expect(ended?.lastLines.split('\n').sort()).toEqual(['and complained', 'said']);
  });

  it('calls a child silent that stops to print, and running again when it goes on', async () => {
    const flag = path.join(temporaryFolder(), 'go on');
    const { kinds } = follow(
      nodeProgram(
        `console.log('a'); setInterval(() => require('fs').existsSync(process.env.FLAG) && console.log('b'), 100)`,
        { FLAG: flag },
      ),
      { silenceMs: 400 },
    );
    await until('silence', () => kinds().includes('silent'));
    writeFileSync(flag, '');
    await until('its end', () => kinds().join().includes('silent,running'));
  });

  it('calls a child silent that never says anything', async () => {
    const { kinds } = follow(nodeProgram(staysAlive), { firstLineMs: 300 });
    await until('silence', () => kinds().includes('silent'));
  });

  it('ends a silent child when patience is over, even one that ignores SIGTERM, and starts another', async () => {
    const ignores = `${printsPid} process.on('SIGTERM', () => {}); ${staysAlive}`;
    const { lines, kinds } = follow(nodeProgram(ignores), { silenceMs: 300, giveUpMs: 800 });
    await until('a second child', () => lines.length >= 2);
    expect(isRunning(Number(lines[0]))).toBe(false);
    expect(lines[1]).not.toBe(lines[0]);
    expect(kinds()).toContain('silent');
  });

  it('starts no second child while the first cannot be ended, and says so', async () => {
    // A stopped parent does not reap: from outside it looks like a process that waits inside the driver.
    const { stream, lines, states } = follow(nodeProgram(`${printsPid} ${staysAlive}`), {
      silenceMs: 200,
      giveUpMs: 400,
    });
    await until('the child', () => lines.length === 1);
    const kill = process.kill.bind(process);
    const child: unknown = Reflect.get(stream, 'child');
    if (typeof child !== 'object' || child === null) throw new Error('no child');
    Reflect.set(child, 'kill', () => true);
    await until('that it is stuck', () => states.some(({ kind }) => kind === 'stuck'));
    await pause(600);
    expect(lines).toHaveLength(1);
    expect(states.at(-1)).toMatchObject({ kind: 'stuck', pid: Number(lines[0]) });
    kill(Number(lines[0]), 'SIGKILL');
    await until('the next child', () => lines.length >= 2);
  });

  it('ends a child that floods, and keeps little of it', async () => {
    const { kinds, lines } = follow(
      nodeProgram(
        `const text = 'x'.repeat(100_000) + '\\n'; setInterval(() => process.stdout.write(text), 5)`,
      ),
    );
    await until('the end of the flood', () => kinds().includes('flooded'));
    expect(lines).toEqual([]);
  });

  it('drops a line that is too long and goes on with the next', async () => {
    const { lines } = follow(
      nodeProgram(
        `process.stdout.write('y'.repeat(5000)); process.stdout.write('y\\nshort\\n'); ${staysAlive}`,
      ),
    );
    await until('the short line', () => lines.includes('short'));
    expect(lines).toEqual(['short']);
  });

  it('tells that a program is missing or may not be run', async () => {
    const missing = follow({ command: '/nowhere/nvidia-smi', leadingArguments: [], environment: {} });
    const file = path.join(temporaryFolder(), 'nvidia-smi');
    writeFileSync(file, '#!/bin/sh\n');
    chmodSync(file, 0o644);
    const refused = follow({ command: file, leadingArguments: [], environment: {} });
    const endOf = (states: readonly StreamState[]) =>
      states.find(({ kind }) => kind === 'ended' || kind === 'notStarted');
    await until(
      'both ends',
      () => endOf(missing.states) !== undefined && endOf(refused.states) !== undefined,
    );
    // Under setpriv the start fails inside it, with the exit codes of a shell.
    expect(endOf(missing.states)).toMatchObject(
      process.platform === 'linux'
        ? { kind: 'ended', exitCode: 127 }
        : { kind: 'notStarted', code: 'ENOENT' },
    );
    expect(endOf(refused.states)).toMatchObject(
      process.platform === 'linux'
        ? { kind: 'ended', exitCode: 126 }
        : { kind: 'notStarted', code: 'EACCES' },
    );
  });

  it('runs with other arguments after a restart, with only one child at any time', async () => {
    const { stream, lines } = follow(
      nodeProgram(`console.log(process.argv.slice(1).join(' ')); ${staysAlive}`),
    );
    await until('the first', () => lines.length === 1);
    stream.restartWith(
      nodeProgram(`console.log('second', process.argv.slice(1).join(' ')); ${staysAlive}`),
      ['-l', '5'],
      patient,
    );
    await until('the second', () => lines.length === 2);
    expect(lines[1]).toBe('second -l 5');
  });

  it('is gone after stop, and can be started again', async () => {
    const { stream, lines } = follow(nodeProgram(`${printsPid} ${staysAlive}`));
    await until('the child', () => lines.length === 1);
    await stream.stop();
    expect(isRunning(Number(lines[0]))).toBe(false);
    expect(stream.state()).toEqual({ kind: 'stopped' });
    stream.start();
    await until('the next child', () => lines.length === 2);
  });

  it('started while it is being stopped, it goes on with a new child', async () => {
    const { stream, lines } = follow(nodeProgram(`${printsPid} ${staysAlive}`));
    await until('the child', () => lines.length === 1);
    const stopping = stream.stop();
    stream.start();
    await stopping;
    await until('the next child', () => lines.length === 2);
    expect(isRunning(Number(lines[0]))).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')('when the program that reads it is killed', () => {
  it('a child that prints nothing dies with it', async () => {
    const folder = temporaryFolder();
    const program = path.join(folder, 'reader.cjs');
    await build({
      stdin: {
        contents: `
          import { startProgram } from './electron/programs/programCall';
          const child = startProgram({ command: 'sleep', leadingArguments: [], environment: {} }, ['600']);
          child.once('spawn', () => process.stdout.write(String(child.pid) + '\\n'));
          setInterval(() => {}, 1000);`,
        resolveDir: path.resolve(import.meta.dirname, '../../../..'),
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      outfile: program,
    });
    const reader = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void reader.kill('SIGKILL'));
    let text = '';
    reader.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await until('the pid of the child', () => text.endsWith('\n'));
    const pid = Number(text);
    expect(isRunning(pid)).toBe(true);
    reader.kill('SIGKILL');
    await until('the end of the child', () => !isRunning(pid));
  });
});
