/** What other users' processes may put into /proc: names, titles and environments of any size and kind. */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LinuxProcessTable } from '../../../../electron/sensing/processTable';
import { MiB } from '../../../../shared/units';
import { only, pidsIn, reader, typedProc } from './typedProc';

it('reads the start of an endless command line and environment, and no entry that its limit cut', () => {
  const { folder, put } = typedProc();
  put({ pid: 100, command: ['python3', 'x'.repeat(4 * MiB)] });
  // 256 KiB are read: the cut falls between the digits of WORLD_SIZE=16.
  const start = 'RANK=1\0FILL=';
  const fill = 'x'.repeat(256 * 1024 - start.length - '\0WORLD_SIZE=1'.length);
  writeFileSync(path.join(folder, '100/environ'), `${start}${fill}\0WORLD_SIZE=16\0${'A=B\0'.repeat(MiB)}`);
  const found = only(reader(folder)([100]).facts, 100);
  expect(found?.command?.join('').length).toBeLessThanOrEqual(256 * 1024);
  expect(found?.environment).toMatchObject({ rank: 1, worldSize: null });
});

it.each([
  ['brackets and a state', ') R 1 1 1 0 -1 0 ('],
  ['line ends', 'a\nb\nUid:\t0'],
  ['terminal codes', '\u001B[2J\u009B31m'],
  ['nothing', ''],
])('takes a name of %s for a name', (_what, name) => {
  const { folder, put } = typedProc();
  put({ pid: 100, parent: 7, name, startTime: 900 });
  expect(only(reader(folder)([100]).facts, 100)).toMatchObject({
    name,
    parentPid: 7,
    startTime: 900,
    state: 'S',
  });
});

it('follows no chain of parents in a circle, and no endless one', () => {
  const { folder, put } = typedProc();
  const last = 180;
  for (let pid = 100; pid <= last; pid++) put({ pid, parent: pid === 100 ? last : pid - 1 });
  expect(pidsIn(reader(folder)([last]).facts)).toContain(last);
});

it('finds the few on cards among many processes, and reads only their files', () => {
  const { folder, put } = typedProc();
  put({ pid: 100, environ: ['RANK=0', 'WORLD_SIZE=2'] });
  // Of the others there is nothing but `stat`: whoever wanted more of them would miss it.
  for (let pid = 1000; pid < 1300; pid++) {
    mkdirSync(path.join(folder, String(pid)));
    appendFileSync(
      path.join(folder, String(pid), 'stat'),
      `${pid} (stress) S 1 ${pid} ${pid} 0 -1 0 0 0 0 0 7 0 0 0 20 0 1 0 500 0 9 0\n`,
    );
  }
  const { facts, world } = reader(folder)([100]);
  expect(pidsIn(facts)).toEqual([100]);
  expect([...world.hidden]).toEqual([]);
});

it('reads a real process with as long a command line and environment as the kernel takes', async () => {
  const words = Array.from({ length: 8 }, (_, index) => `${index}`.repeat(100_000));
  const child = spawn('sleep', ['60'], {
    argv0: `sleep ${words.join(' ').slice(0, 120_000)}`,
    env: {
      RANK: '1',
      WORLD_SIZE: '2',
      ...Object.fromEntries(words.map((word, index) => [`LONG${index}`, word])),
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.once('spawn', resolve));
  const pid = child.pid ?? 0;
  const table = new LinuxProcessTable({ procFolder: '/proc', devicePrefix: '/dev/nvidia' });
  const question = { pidsOnCards: new Set([pid]), suspicious: false, now: Date.now(), slowness: 1 };
  const found = only(table.read(question).facts, pid);
  expect(found).toMatchObject({ environment: { rank: 1, worldSize: 2 }, unreadable: [] });
  expect(found?.command?.[0]?.length).toBe(120_006);
});
