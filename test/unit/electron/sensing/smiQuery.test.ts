import { describe, expect, it } from 'vitest';
import { intervalFor } from '../../../../electron/sensing/interval';
import { endProblems, startProblem } from '../../../../electron/sensing/smiProblems';
import { FieldList, loopArguments } from '../../../../electron/sensing/smiQuery';

describe('the questions', () => {
  it('loop in seconds or in milliseconds, for all cards or for some', () => {
    const question = { query: 'gpu', fields: ['index', 'name'], intervalMs: 1000, only: null } as const;
    expect(loopArguments(question)).toEqual([
      '--query-gpu=index,name',
      '--format=csv,noheader,nounits',
      '-l',
      '1',
    ]);
    expect(
      loopArguments({
        ...question,
        query: 'compute-apps',
        intervalMs: 250,
        only: ['00000000:01:00.0', '00000000:02:00.0'],
      }),
    ).toEqual([
      '--query-compute-apps=index,name',
      '--format=csv,noheader,nounits',
      '--id=00000000:01:00.0,00000000:02:00.0',
      '-lms',
      '250',
    ]);
  });

  it('a refused field is left out, or asked for under its older name, once', () => {
    const fields = FieldList.forCards();
    expect(fields.refuse('memory.reserved')).toBe(true);
    expect(fields.refuse('memory.reserved')).toBe(false);
    expect(fields.refuse('no.such.field')).toBe(false);
    expect(fields.refuse('clocks_event_reasons.active')).toBe(true);
    expect(fields.fields()).toContain('clocks_throttle_reasons.active');
    expect(fields.refuse('clocks_throttle_reasons.active')).toBe(true);
    expect(fields.fields().join()).not.toMatch(/reserved|reasons/);
  });

  it('are asked more slowly while nobody looks', () => {
    expect([intervalFor(1, 'watched', 1), intervalFor(1, 'background', 1)]).toEqual([1000, 5000]);
    expect([intervalFor(30, 'watched', 1), intervalFor(30, 'background', 1)]).toEqual([30_000, 30_000]);
    expect(intervalFor(0, 'watched', 1)).toBe(100);
    // A time-lapse keeps the pace in the seconds of its scene, as far as nvidia-smi's loops go.
    expect([intervalFor(1, 'watched', 4), intervalFor(1, 'background', 4)]).toEqual([250, 1250]);
    expect(intervalFor(1, 'watched', 60)).toBe(100);
  });
});

describe('ends of nvidia-smi', () => {
  const codes = (lastLines: string, exitCode: number | null, signal: NodeJS.Signals | null = null) =>
    endProblems('/usr/bin/nvidia-smi', { exitCode, signal, lastLines }).map(({ code }) => code);

  it.each([
    ['', 0, 'smi-ended'],
    ['', 255, 'smi-ended'],
    ['setpriv: failed to execute /x/nvidia-smi: No such file or directory', 127, 'command-missing'],
    ['setpriv: failed to execute /x/nvidia-smi: Permission denied', 126, 'smi-not-allowed'],
    ['Failed to initialize NVML: Unknown Error', 255, 'nvml-unknown-error'],
    ['what is this', 3, 'smi-unknown-text'],
    ['0, GPU-a, 12', 0, 'smi-ended'],
  ])('%j with status %i is %s', (text, exitCode, code) => expect(codes(text, exitCode)).toEqual([code]));

  it('signals', () => {
    expect(codes('half a table', null, 'SIGSEGV')).toEqual(['smi-crashed']);
    expect(codes('', null, 'SIGKILL')).toEqual(['smi-ended']);
  });

  it('starts that fail', () => {
    expect(startProblem('/x', 'ENOENT').code).toBe('command-missing');
    expect(startProblem('/x', 'EACCES')).toMatchObject({
      code: 'smi-not-allowed',
      message: { values: { path: '/x', reason: 'Permission denied' } },
    });
  });
});
