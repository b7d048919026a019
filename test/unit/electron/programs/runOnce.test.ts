import { describe, expect, it } from 'vitest';
import { runOnce } from '../../../../electron/programs/runOnce';
import { isRunning, nodeProgram } from '../sensing/support';

const limits = { timeoutMs: 10_000, maxBytes: 10_000 };

describe('one run of a program', () => {
  it('answers what it printed and how it ended', async () => {
    const result = await runOnce(
      nodeProgram(`console.log(process.argv.slice(1).join('+'), process.env.LC_ALL); process.exitCode = 14`),
      ['-q', '-x'],
      limits,
    );
    expect(result).toEqual({ kind: 'ended', exitCode: 14, signal: null, text: '-q+-x C\n' });
  });

  it('takes its arguments as they are, without a shell', async () => {
    const odd = 'a b; echo $HOME "`id`"';
    const result = await runOnce(nodeProgram('process.stdout.write(process.argv[1])'), [odd], limits);
    expect(result).toMatchObject({ text: odd });
  });

  it('is ended at its time limit, and is gone then', async () => {
    const result = await runOnce(
      nodeProgram(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`),
      [],
      { timeoutMs: 500, maxBytes: 1000 },
    );
    if (result.kind !== 'timeout' || result.pid === null) throw new Error(`it was ${result.kind}`);
    await result.gone;
    expect(isRunning(result.pid)).toBe(false);
  });

  it('is ended when it prints too much', async () => {
    const result = await runOnce(
      nodeProgram(`setInterval(() => console.log('x'.repeat(5000)), 1)`),
      [],
      limits,
    );
    if (result.kind !== 'flood') throw new Error(`it was ${result.kind}`);
    await result.gone;
  });

  it('is ended by an abort', async () => {
    const stop = new AbortController();
    const running = runOnce(nodeProgram('setInterval(() => {}, 1000)'), [], limits, stop.signal);
    setTimeout(() => stop.abort(), 200);
    expect((await running).kind).toBe('timeout');
  });
});
