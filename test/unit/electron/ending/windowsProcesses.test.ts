import { describe, expect, it } from 'vitest';
import { noProcesses } from '../../../../electron/ending/processes';
import { windowsProcesses, type ProgramAnswer } from '../../../../electron/ending/windowsProcesses';

/** Windows as far as it is asked: answers in turn, and what was run. */
function windows(...answers: readonly (ProgramAnswer | null)[]) {
  const ran: (readonly string[])[] = [];
  const left = [...answers];
  const control = windowsProcesses((file, args) => {
    ran.push([file, ...args]);
    return Promise.resolve(left.shift() ?? null);
  });
  return { control, ran };
}

describe('processes of Windows', () => {
  it('are identified by their creation, in whole seconds, all of them by one program', async () => {
    const { control, ran } = windows({
      exitCode: 0,
      text: '4321 1795964400\r\n4400 unreadable\r\nend\r\n',
    });
    expect(await control.identify([4321, 4400, 4500])).toEqual(
      new Map<number, unknown>([
        [4321, { startTime: 1_795_964_400_000, uid: null, state: 'unknown' }],
        [4400, 'unreadable'],
        [4500, null],
      ]),
    );
    expect(ran).toHaveLength(1);
    expect(ran[0]?.[0]).toMatch(/^[A-Z]:\\.*\\System32\\WindowsPowerShell\\v1\.0\\powershell\.exe$/i);
    expect(ran[0]?.at(-1)).toContain('Get-Process -Id 4321,4400,4500 ');
  });

  it.each<[string, ProgramAnswer | null]>([
    ['where nothing answers in time', null],
    ['where nothing is printed', { exitCode: 1, text: '' }],
    ['where the answer was cut: who is not in it may live', { exitCode: 0, text: '4400 1795964400\r\n' }],
  ])('are unreadable %s', async (_name, answer) => {
    expect(await windows(answer).control.identify([4321])).toEqual(new Map([[4321, 'unreadable']]));
  });

  it('are asked to end one by one, by pid alone: no tree, no name', async () => {
    const { control, ran } = windows(
      { exitCode: 0, text: '' },
      { exitCode: 0, text: '' },
      { exitCode: 128, text: '' },
      { exitCode: 1, text: '' },
      null,
    );
    expect(await control.signal(4321, 'SIGTERM')).toBe('sent');
    expect(await control.signal(4321, 'SIGKILL')).toBe('sent');
    expect(await control.signal(4321, 'SIGKILL')).toBe('gone');
    expect(await control.signal(4321, 'SIGKILL')).toBe('refused');
    expect(await control.signal(4321, 'SIGKILL')).toBe('refused');
    expect(ran.map(([file, ...args]) => [file?.split('\\').at(-1), ...args]).slice(0, 2)).toEqual([
      ['taskkill.exe', '/PID', '4321'],
      ['taskkill.exe', '/F', '/PID', '4321'],
    ]);
  });

  it('have nothing to continue, and Windows itself is never touched', async () => {
    const { control, ran } = windows();
    expect(await control.signal(4321, 'SIGCONT')).toBe('sent');
    const own = [0, 4, -1, 1.5, Number.NaN];
    for (const pid of own) expect(await control.signal(pid, 'SIGKILL')).toBe('refused');
    expect([...(await control.identify(own)).values()]).toEqual(own.map(() => 'unreadable'));
    expect(ran).toEqual([]);
  });
});

it('where neither way is offered, nothing is identified and nothing ended', async () => {
  expect(await noProcesses.identify([4321])).toEqual(new Map([[4321, 'unreadable']]));
  expect(await noProcesses.signal(4321, 'SIGKILL')).toBe('refused');
});
