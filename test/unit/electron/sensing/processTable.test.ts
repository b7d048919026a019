import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LinuxProcessTable } from '../../../../electron/sensing/processTable';
import { until } from './support';
import { only, pidsIn, reader, typedProc } from './typedProc';

describe('processes from /proc', () => {
  it('tells every fact of a process on a card', () => {
    const { folder, put } = typedProc();
    put({
      pid: 100,
      cpuTicks: 250,
      startTime: 4200,
      pages: 1000,
      environ: ['RANK=1', 'WORLD_SIZE=2'],
      links: ['/sim/dev/nvidia0', '/sim/dev/nvidia-uvm', '/home/ada/last.pt.tmp12', 'socket:[1]'],
    });
    expect(reader(folder)([100]).facts).toMatchObject([
      {
        pid: 100,
        startTime: 4200,
        uid: 0,
        user: 'root',
        parentPid: 1,
        state: 'S',
        command: ['python3', 'train.py'],
        workingFolder: '/home/ada',
        startedAt: 1_700_000_042,
        residentBytes: 1000 * 4096,
        cpuPercent: null,
        cpuSeconds: 2.5,
        ioBytes: 12,
        cgroup: '/user.slice',
        openDevices: ['/dev/nvidia-uvm', '/dev/nvidia0'],
        writesCheckpoint: true,
        environment: { rank: 1, worldSize: 2 },
        unreadable: [],
      },
    ]);
  });

  it('CPU is the share of a core since the last reading, and unknown for a pid that was reused', () => {
    const { folder, put } = typedProc();
    const read = reader(folder);
    put({ pid: 100, cpuTicks: 100 });
    read([100]);
    put({ pid: 100, cpuTicks: 175 });
    expect(only(read([100]).facts, 100)?.cpuPercent).toBe(75);
    put({ pid: 100, cpuTicks: 500, startTime: 900 });
    expect(only(read([100]).facts, 100)?.cpuPercent).toBeNull();
  });

  it('a reused pid inherits nothing', () => {
    const { folder, put } = typedProc();
    const read = reader(folder);
    put({ pid: 100, environ: ['RANK=0'], links: ['/sim/dev/nvidia0', '/sim/dev/nvidia-uvm'] });
    expect(only(read([100]).facts, 100)).toMatchObject({ environment: { rank: 0 } });
    put({ pid: 100, startTime: 501, command: ['sleep', '1'], name: 'sleep' });
    expect(only(read([100]).facts, 100)).toMatchObject({
      command: ['sleep', '1'],
      environment: { rank: null },
      openDevices: [],
    });
  });

  it('a process that was read between its fork and its own program is read once more', () => {
    const { folder, put } = typedProc();
    const read = reader(folder);
    put({ pid: 100, command: ['torchrun', 'train.py'] });
    expect(only(read([100]).facts, 100)).toMatchObject({ command: ['torchrun', 'train.py'] });
    put({ pid: 100, command: ['python3', 'train.py'], environ: ['RANK=3'] });
    expect(only(read([100], { afterMs: 2500 }).facts, 100)).toMatchObject({
      command: ['python3', 'train.py'],
      environment: { rank: 3 },
    });
    put({ pid: 100, command: ['a new title'], environ: ['RANK=4'] });
    expect(only(read([100], { afterMs: 31_000 }).facts, 100)).toMatchObject({
      command: ['a new title'],
      environment: { rank: 3 },
    });
  });

  it('brings the relatives of what is on a card, and nobody else', () => {
    const { folder, put } = typedProc();
    put({ pid: 1, parent: 0, name: 'systemd' });
    put({ pid: 50, parent: 1, name: 'bash' });
    put({ pid: 60, parent: 50, name: 'vim' });
    put({ pid: 100, parent: 50, name: 'pt_elastic' });
    put({ pid: 110, parent: 100 });
    put({ pid: 111, parent: 100 });
    put({ pid: 120, parent: 110, name: 'pt_data_worker' });
    put({ pid: 200, parent: 1, name: 'cron' });
    expect(pidsIn(reader(folder)([110]).facts)).toEqual([1, 50, 100, 110, 111, 120]);
  });

  it('finds the holder of a device file that nvidia-smi does not list', () => {
    const { folder, put } = typedProc();
    put({ pid: 300, name: 'pt_data_worker', links: ['/sim/dev/nvidia1', '/sim/dev/nvidia-uvm'] });
    put({ pid: 301, name: 'vim', links: ['/home/ada/notes'] });
    expect(pidsIn(reader(folder)([]).facts)).toEqual([300]);
  });

  it('comes round to every process within a minute, and within ten seconds where memory is unexplained', () => {
    const { folder, put } = typedProc();
    for (let pid = 300; pid < 340; pid += 1) put({ pid, name: 'idle' });
    const read = reader(folder);
    read([]);
    const links = ['/sim/dev/nvidia1', '/sim/dev/nvidia-uvm'];
    put({ pid: 339, name: 'idle', links });
    expect(read([]).facts).toEqual([]);
    expect(pidsIn(read([], { suspicious: true }).facts)).toEqual([]);
    expect(pidsIn(read([], { suspicious: true, afterMs: 8000 }).facts)).toEqual([339]);

    put({ pid: 300, name: 'idle', links });
    let ticks = 0;
    while (!pidsIn(read([]).facts).includes(300)) if ((ticks += 1) > 70) throw new Error('never came round');
    expect(ticks).toBeLessThanOrEqual(60);
  });

  it('a new holder that nvidia-smi does not list is found within some seconds', () => {
    const { folder, put } = typedProc();
    const read = reader(folder);
    read([]);
    put({ pid: 300, links: ['/sim/dev/nvidia1', '/sim/dev/nvidia-uvm'] });
    expect(read([]).facts).toEqual([]);
    expect(pidsIn(read([], { afterMs: 6000 }).facts)).toEqual([300]);
  });

  it('relatives are read every few seconds, what is on a card each time', () => {
    const { folder, put } = typedProc();
    const read = reader(folder);
    const all = (cpuTicks: number) => {
      put({ pid: 100, cpuTicks });
      put({ pid: 101, parent: 100, cpuTicks });
    };
    all(0);
    read([100]);
    all(50);
    const second = read([100]).facts;
    expect([only(second, 100)?.cpuPercent, only(second, 101)?.cpuPercent]).toEqual([50, null]);
    all(330);
    const later = read([100], { afterMs: 10_000 }).facts;
    expect([only(later, 100)?.cpuPercent, only(later, 101)?.cpuPercent]).toEqual([28, 30]);
  });

  it('a listed pid that is not there is told as gone, or as of another container', () => {
    const { folder, put } = typedProc();
    put({ pid: 100 });
    expect(only(reader(folder)([100, 4242]).facts, 4242)).toMatchObject({
      startTime: null,
      user: null,
      command: null,
      residentBytes: null,
      state: 'unknown',
      unreadable: [{ facts: 'process', reason: 'gone' }],
    });
    rmSync(path.join(folder, 'self/ns/pid'));
    symlinkSync('pid:[4026532000]', path.join(folder, 'self/ns/pid'));
    const inContainer = reader(folder)([4242]);
    expect(inContainer.world).toEqual({
      hidden: new Set(['otherNamespaces']),
      hasMachineInit: false,
      reparents: true,
    });
    expect(only(inContainer.facts, 4242)?.unreadable).toEqual([
      { facts: 'process', reason: 'otherNamespace' },
    ]);
  });

  it('a process that has just ended is left out, and told as gone when it goes on to be listed', () => {
    const { folder, put, remove } = typedProc();
    const read = reader(folder);
    put({ pid: 100 });
    read([100]);
    remove(100);
    expect(read([100]).facts).toEqual([]);
    expect(read([100], { afterMs: 3000 }).facts).toMatchObject([{ pid: 100, startTime: null }]);
  });

  it('facts that are missing are null with their reason', () => {
    const { folder, put } = typedProc();
    put({ pid: 100 });
    for (const file of ['environ', 'io', 'cgroup', 'cwd', 'fd'])
      rmSync(path.join(folder, '100', file), { recursive: true });
    expect(only(reader(folder)([100]).facts, 100)).toMatchObject({
      environment: null,
      ioBytes: null,
      cgroup: null,
      workingFolder: null,
      openDevices: null,
      writesCheckpoint: null,
      unreadable: expect.arrayContaining([
        { facts: 'environment', reason: 'gone' },
        { facts: 'inputOutput', reason: 'gone' },
        { facts: 'cgroup', reason: 'gone' },
        { facts: 'workingFolder', reason: 'gone' },
        { facts: 'openFiles', reason: 'gone' },
      ]),
    });
  });

  it('a process that ends in mid-reading, and a cut stat, are left out', () => {
    const { folder, put } = typedProc();
    put({ pid: 100 });
    writeFileSync(path.join(folder, '100/stat'), '100 (python3) S 1');
    mkdirSync(path.join(folder, '101'));
    expect(only(reader(folder)([100]).facts, 100)?.startTime).toBeNull();
  });

  it('kernel threads are not looked at each tick, but a process that takes such a pid is found', () => {
    const { folder, put, remove } = typedProc();
    const read = reader(folder);
    put({ pid: 2, parent: 0, name: 'kthreadd', isKernelThread: true });
    put({ pid: 77, parent: 2, name: 'kworker/0:1', isKernelThread: true });
    read([]);
    remove(77);
    put({ pid: 77, parent: 1, startTime: 9000 });
    let ticks = 0;
    while (only(read([77]).facts, 77)?.startTime !== 9000)
      if ((ticks += 1) > 70) throw new Error('never found');
    expect(ticks).toBeLessThanOrEqual(60);
  });

  it('in a container pid 2 is a process like any other, and so are its children', () => {
    const { folder, put } = typedProc();
    put({ pid: 2, parent: 1 });
    put({ pid: 3, parent: 2, name: 'pt_data_worker' });
    expect(pidsIn(reader(folder)([2]).facts)).toEqual([2, 3]);
  });

  it('names the processes with the most host memory', () => {
    const { folder, put } = typedProc();
    for (let pid = 100; pid < 120; pid += 1) put({ pid, pages: pid, name: `p${pid}` });
    expect(reader(folder)([]).topByMemory.slice(0, 2)).toEqual([
      { pid: 119, name: 'p119', residentBytes: 119 * 4096 },
      { pid: 118, name: 'p118', residentBytes: 118 * 4096 },
    ]);
  });
});

describe.runIf(process.platform === 'linux')('the machine’s own /proc', () => {
  it('tells of a child of ours what we gave it', async () => {
    const child = spawn('sleep', ['600'], { env: { RANK: '5', WORLD_SIZE: '8' }, cwd: '/' });
    onTestFinished(() => void child.kill('SIGKILL'));
    await until('its pid', () => child.pid !== undefined);
    const pid = child.pid ?? 0;
    const table = new LinuxProcessTable({ procFolder: '/proc', devicePrefix: '/dev/nvidia' });
    const facts = only(
      table.read({ pidsOnCards: new Set([pid]), suspicious: false, now: Date.now(), slowness: 1 }).facts,
      pid,
    );
    expect(facts).toMatchObject({
      name: 'sleep',
      command: ['sleep', '600'],
      parentPid: process.pid,
      uid: process.getuid?.(),
      workingFolder: '/',
      openDevices: [],
      environment: { rank: 5, worldSize: 8 },
    });
    expect(Math.abs((facts?.startedAt ?? 0) - Date.now() / 1000)).toBeLessThan(30);
  });
});
