import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { gpuIndexByMinor, readDeviceMinors } from '../../../../electron/sensing/deviceMinors';
import { findNvidiaSmi } from '../../../../electron/sensing/findNvidiaSmi';
import { HostReader } from '../../../../electron/sensing/hostReader';
import { readKernelConstants } from '../../../../electron/sensing/kernelConstants';
import { relativesOf } from '../../../../electron/sensing/relatives';
import { parsePasswd, UserNames } from '../../../../electron/sensing/users';
import { emptyCard } from '../../../../shared/gpu/smi/card';
import { pause, temporaryFolder } from './support';

const GiB = 1024 ** 3;

describe('where nvidia-smi lies', () => {
  it('is the chosen file, if it can be run', () => {
    const file = path.join(temporaryFolder(), 'my-smi');
    writeFileSync(file, '');
    chmodSync(file, 0o755);
    expect(findNvidiaSmi(file)).toBe(file);
    expect(findNvidiaSmi(`${file}-not`)).toBeNull();
  });
  it('is found on the search path', () => {
    const folder = temporaryFolder();
    const name = process.platform === 'win32' ? 'nvidia-smi.exe' : 'nvidia-smi';
    writeFileSync(path.join(folder, name), '');
    chmodSync(path.join(folder, name), 0o755);
    vi.stubEnv('PATH', `${folder}${path.delimiter}${process.env['PATH'] ?? ''}`);
    expect(findNvidiaSmi(null)).toBe(path.join(folder, name));
    vi.unstubAllEnvs();
  });
});

describe('device files', () => {
  it('minor numbers come from the driver’s list, else they are taken for indices', () => {
    const folder = temporaryFolder();
    const put = (bus: string, text: string) => {
      mkdirSync(path.join(folder, 'driver/nvidia/gpus', bus), { recursive: true });
      writeFileSync(path.join(folder, 'driver/nvidia/gpus', bus, 'information'), text);
    };
    put('0000:01:00.0', 'Model: \t\t NVIDIA A100\nDevice Minor: \t 1\n');
    put('0000:81:00.0', 'Device Minor: \t 0\n');
    put('0000:c1:00.0', 'Model: x\n');
    const minors = readDeviceMinors(folder);
    expect([...minors]).toEqual(
      expect.arrayContaining([
        ['00000000:01:00.0', 1],
        ['00000000:81:00.0', 0],
      ]),
    );
    const cards = ['00000000:01:00.0', '00000000:81:00.0', '00000000:C1:00.0'].map((pciBusId, index) => ({
      ...emptyCard(),
      index,
      pciBusId,
    }));
    expect([...gpuIndexByMinor(cards, minors)]).toEqual([
      [1, 0],
      [0, 1],
      [2, 2],
    ]);
    expect(readDeviceMinors('/nowhere').size).toBe(0);
  });
});

describe('users', () => {
  it('are named by /etc/passwd', () => {
    expect([
      ...parsePasswd(
        'root:x:0:0:root:/root:/bin/sh\n# no line\nada:x:1000:1000::/home/ada:\nroot2:x:0:0::/:\n',
      ),
    ]).toEqual([
      [0, 'root'],
      [1000, 'ada'],
    ]);
    expect(new UserNames().nameOf(0, Date.now())).toBe('root');
    expect(new UserNames().nameOf(3_999_999_999, Date.now())).toBeNull();
  });
});

describe('family trees', () => {
  const kin = (rows: readonly (readonly [pid: number, parentPid: number, name: string])[]) =>
    new Map(rows.map(([pid, parentPid, name]) => [pid, { pid, parentPid, name }]));

  it('take siblings under a launcher, not under a shell', () => {
    const table = kin([
      [10, 1, 'bash'],
      [11, 10, 'python3'],
      [12, 10, 'vim'],
      [20, 1, 'torchrun'],
      [21, 20, 'x'],
      [22, 20, 'y'],
      [23, 22, 'z'],
    ]);
    expect([...relativesOf(table, [11])].sort((a, b) => a - b)).toEqual([10, 11]);
    expect([...relativesOf(table, [21])].sort((a, b) => a - b)).toEqual([20, 21, 22, 23]);
    expect([...relativesOf(table, [99])]).toEqual([]);
  });

  it('end, even where a reused pid makes a circle', () => {
    const circle = kin([
      [10, 12, 'python3'],
      [11, 10, 'python3'],
      [12, 11, 'python3'],
    ]);
    expect([...relativesOf(circle, [10])].sort((a, b) => a - b)).toEqual([10, 11, 12]);
  });
});

describe('the host', () => {
  it('has memory, a processor and shared memory, and a name', async () => {
    const reader = new HostReader();
    await reader.refresh(0);
    // A share of time needs some to pass: the kernel counts in hundredths of a second.
    await pause(200);
    await reader.refresh(1);
    const host = reader.latest([], 2);
    expect(host.hostname).not.toBe('');
    expect(host.memoryTotalBytes).toBeGreaterThan(GiB / 4);
    expect(host.memoryUsedBytes).toBeLessThan(host.memoryTotalBytes ?? 0);
    expect(host.cpuCount).toBeGreaterThan(0);
    expect(host.cpuPercent).toBeGreaterThanOrEqual(0);
    expect(host.cpuPercent).toBeLessThanOrEqual(100);
    if (process.platform === 'linux') expect(host.shmTotalBytes).not.toBeNull();
  });

  it('its processor is asked every five seconds, once there is a share to tell', async () => {
    const answers = [null, 40, 60];
    const reader = new HostReader({
      read: () => Promise.resolve({ cpuPercent: answers.shift() ?? null, cpuCount: 2 }),
    });
    const told: (number | null)[] = [];
    for (const now of [0, 2000, 4000, 6000, 8000]) {
      await reader.refresh(now);
      told.push(reader.latest([], now).cpuPercent);
    }
    expect(told).toEqual([null, 40, 40, 40, 60]);
  });

  it('the kernel’s units are read where they are told, and usual ones taken elsewhere', () => {
    expect(readKernelConstants('/nowhere')).toEqual({ ticksPerSecond: 100, pageBytes: 4096, bootTime: null });
    if (process.platform !== 'linux') return;
    const kernel = readKernelConstants('/proc');
    expect([4096, 16_384, 65_536]).toContain(kernel.pageBytes);
    expect(kernel.ticksPerSecond).toBe(100);
    expect(kernel.bootTime).toBeGreaterThan(1_000_000_000);
  });
});
