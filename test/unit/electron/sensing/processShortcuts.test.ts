/** What is not read at every look because it cannot have changed, and that it is read when it can have. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LinuxProcessTable } from '../../../../electron/sensing/processTable';
import { StatReader } from '../../../../electron/sensing/statReader';
import { isThere, only, pidsIn, reader, typedProc } from './typedProc';

it('what a process has transferred is asked when it has used the processor since, or after half a minute', () => {
  const { folder, put } = typedProc();
  const read = reader(folder);
  const transferred = (afterMs: number) => only(read([100], { afterMs }).facts, 100)?.ioBytes;
  put({ pid: 100, cpuTicks: 5 });
  expect([transferred(0), transferred(3000)]).toEqual([12, 12]); // The second reading is the last whole one.
  writeFileSync(path.join(folder, '100/io'), 'rchar: 70\nwchar: 50\n');
  expect([transferred(11_000), transferred(11_000)]).toEqual([12, 12]);
  expect(transferred(11_000)).toBe(120);
  put({ pid: 100, cpuTicks: 6 });
  writeFileSync(path.join(folder, '100/io'), 'rchar: 700\nwchar: 500\n');
  expect(transferred(11_000)).toBe(1200);
});

it('a relative that is handed to another parent is none any more', () => {
  const { folder, put } = typedProc();
  const read = reader(folder);
  put({ pid: 100 });
  put({ pid: 101, parent: 100 });
  expect(pidsIn(read([100]).facts)).toEqual([100, 101]);
  put({ pid: 101, parent: 1 });
  expect(pidsIn(read([100], { afterMs: 6000 }).facts)).toEqual([100]);
});

it('a holder that has ended and waits to be collected holds nothing', () => {
  const { folder, put } = typedProc();
  const read = reader(folder);
  const links = ['/sim/dev/nvidia1'];
  put({ pid: 300, links });
  expect(only(read([]).facts, 300)?.openDevices).toEqual(['/dev/nvidia1']);
  put({ pid: 300, links, state: 'Z' });
  expect(read([], { afterMs: 6000 }).facts).toEqual([]);
});

it.runIf(process.platform === 'linux')(
  'keeps a few files open, none of what has ended or is far from a card',
  () => {
    const { folder, put, remove } = typedProc();
    const stats = new StatReader(folder, 100, 4);
    const openFiles = () =>
      readdirSync('/proc/self/fd').filter((name) => {
        try {
          return readlinkSync(`/proc/self/fd/${name}`).startsWith(`${folder}/10`);
        } catch {
          return false; // The descriptor that lists the others.
        }
      }).length;
    const pids = [101, 102, 103, 104, 105, 106];
    for (const pid of pids) put({ pid });
    const none = new Set<number>();
    expect([...stats.read(new Set(pids), none, { now: 0, slowness: 1 }).stats.keys()]).toEqual(pids);
    expect(openFiles()).toBe(4);
    for (const pid of [101, 102, 103]) remove(pid);
    stats.read(new Set([104]), none, { now: 1000, slowness: 1 });
    expect(openFiles()).toBe(1);
    stats.read(none, none, { now: 22_000, slowness: 1 });
    expect(openFiles()).toBe(0);
  },
);

it('lists the processes anew when the kernel has given out a number, and every five seconds', () => {
  const { folder, put } = typedProc();
  mkdirSync(path.join(folder, 'sys/kernel'), { recursive: true });
  mkdirSync(path.join(folder, 'other'));
  const lastPid = (pid: number) => writeFileSync(path.join(folder, 'sys/kernel/ns_last_pid'), `${pid}\n`);
  lastPid(100);
  put({ pid: 100 });
  const read = reader(folder);
  const seen = (afterMs = 1000) => pidsIn(read([100, 101, 102], { afterMs }).facts.filter(isThere));
  expect(seen()).toEqual([100]);
  put({ pid: 101 });
  lastPid(101);
  expect(seen()).toEqual([100, 101]);
  // As no kernel does: a process that got its number from nowhere, in a folder that counts as before.
  rmSync(path.join(folder, 'other'), { recursive: true });
  put({ pid: 102 });
  expect([seen(), seen(), seen(), seen()]).toEqual([
    [100, 101],
    [100, 101],
    [100, 101],
    [100, 101],
  ]);
  expect(seen()).toEqual([100, 101, 102]);
});

it('while nobody looks, relatives, transfers and open files are read more rarely, and at once when somebody does', () => {
  const { folder, put } = typedProc();
  const read = reader(folder);
  const links = ['/sim/dev/nvidia0'];
  put({ pid: 100 });
  put({ pid: 101, parent: 100 });
  read([100]);
  read([100], { afterMs: 3000 }); // The second, last whole reading.
  const later = { cpuTicks: 5, links };
  put({ pid: 100, ...later });
  put({ pid: 101, parent: 100, ...later });
  const seen = (slowness: number, afterMs: number) => {
    const { facts } = read([100], { slowness, afterMs });
    const [onCard, relative] = [only(facts, 100), only(facts, 101)];
    return [
      onCard?.cpuSeconds,
      onCard?.openDevices?.length,
      relative?.cpuSeconds,
      relative?.openDevices?.length,
    ];
  };
  writeFileSync(path.join(folder, '100/io'), 'rchar: 70\nwchar: 50\n');
  expect(seen(3, 1000)).toEqual([0.05, 0, 0, 0]);
  expect(seen(3, 6000)).toEqual([0.05, 0, 0, 0]);
  expect(seen(1, 1000)).toEqual([0.05, 1, 0.05, 0]);
  expect(only(read([100]).facts, 100)?.ioBytes).toBe(120);
  // The relative's files wait for their minute.
  expect(seen(1, 60_000)).toEqual([0.05, 1, 0.05, 1]);
});

it.runIf(process.platform === 'linux')('sees at the next look who has come and who has gone', async () => {
  const table = new LinuxProcessTable({ procFolder: '/proc', devicePrefix: '/dev/nvidia' });
  let now = Date.now();
  const isSeen = (pid: number) => {
    now += 100;
    const { facts } = table.read({ pidsOnCards: new Set([pid]), suspicious: false, now, slowness: 1 });
    return (only(facts, pid)?.startTime ?? null) !== null;
  };
  isSeen(process.pid);
  for (let round = 0; round < 5; round += 1) {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    expect(isSeen(pid)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isSeen(pid)).toBe(false);
  }
});
