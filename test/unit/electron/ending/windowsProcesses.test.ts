import { describe, expect, it } from 'vitest';
import { noProcesses } from '../../../../electron/ending/processes';
import { windowsProcesses, type ProgramAnswer } from '../../../../electron/ending/windowsProcesses';

/** Windows as far as it is asked: answers in turn, and what was run. */
function windows(...answers: readonly ProgramAnswer[]) {
  const ran: (readonly string[])[] = [];
  const left = [...answers];
  const control = windowsProcesses((file, args) => {
    ran.push([file, ...args]);
    return left.shift() ?? { exitCode: null, stdout: '' };
  });
  return { control, ran };
}

describe('processes of Windows', () => {
  it('are identified by their creation, in whole seconds', () => {
    const { control, ran } = windows({ exitCode: 0, stdout: '1795964400\r\n' });
    expect(control.identify(4321)).toEqual({ startTime: 1_795_964_400_000, uid: null, state: 'unknown' });
    expect(ran[0]?.[0]).toMatch(/^[A-Z]:\\.*\\System32\\WindowsPowerShell\\v1\.0\\powershell\.exe$/i);
    expect(ran[0]?.at(-1)).toContain('Get-Process -Id 4321 ');
  });

  it.each<[string, ProgramAnswer, unknown]>([
    ['gone', { exitCode: 0, stdout: 'none\r\n' }, null],
    ['unreadable where the creation is refused', { exitCode: 0, stdout: '' }, 'unreadable'],
    ['unreadable where nothing answers in time', { exitCode: null, stdout: '' }, 'unreadable'],
  ])('are %s', (_name, answer, expected) => {
    expect(windows(answer).control.identify(4321)).toEqual(expected);
  });

  it('are asked to end one by one, by pid alone: no tree, no name', () => {
    const { control, ran } = windows(
      { exitCode: 0, stdout: '' },
      { exitCode: 0, stdout: '' },
      { exitCode: 128, stdout: '' },
      { exitCode: 1, stdout: '' },
    );
    expect(control.signal(4321, 'SIGTERM')).toBe('sent');
    expect(control.signal(4321, 'SIGKILL')).toBe('sent');
    expect(control.signal(4321, 'SIGKILL')).toBe('gone');
    expect(control.signal(4321, 'SIGKILL')).toBe('refused');
    expect(ran.map(([file, ...args]) => [file?.split('\\').at(-1), ...args]).slice(0, 2)).toEqual([
      ['taskkill.exe', '/PID', '4321'],
      ['taskkill.exe', '/F', '/PID', '4321'],
    ]);
  });

  it('have nothing to continue, and Windows itself is never touched', () => {
    const { control, ran } = windows();
    expect(control.signal(4321, 'SIGCONT')).toBe('sent');
    for (const pid of [0, 4, -1, 1.5, Number.NaN]) {
      expect(control.signal(pid, 'SIGKILL')).toBe('refused');
      expect(control.identify(pid)).toBe('unreadable');
    }
    expect(ran).toEqual([]);
  });
});

it('where neither way is offered, nothing is identified and nothing ended', () => {
  expect([noProcesses.identify(4321), noProcesses.signal(4321, 'SIGKILL')]).toEqual([
    'unreadable',
    'refused',
  ]);
});
