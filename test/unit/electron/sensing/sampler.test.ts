import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WorkstationState } from '../../../../shared/snapshot/types';
import { MiB } from '../../../../shared/units';
import { Sampler, type SamplerOptions } from '../../../../electron/sensing/sampler';
import { backendsWith } from '../../../../electron/simulation/backends';
import type { SimulationOptions } from '../../../../electron/simulation/workstation';
import { builtStandIn } from '../simulation/standIn';
import { pause, temporaryFolder, until } from './support';

const standInPath = builtStandIn();

function follow(options: Partial<SamplerOptions>, simulation: Partial<SimulationOptions> = {}) {
  const snapshots: WorkstationState[] = [];
  const sampler = new Sampler({
    sceneId: null,
    intervalSeconds: 0.5,
    nvidiaSmiPath: null,
    backends: backendsWith({ standInPath, nodePath: process.execPath, ...simulation }),
    onSnapshot: (snapshot) => snapshots.push(snapshot),
    log: () => undefined,
    ...options,
  });
  onTestFinished(() => sampler.stop());
  sampler.start();
  const newest = (): WorkstationState | undefined => snapshots.at(-1);
  const codes = () => newest()?.problems.map(({ code }) => code) ?? [];
  return { sampler, snapshots, newest, codes };
}

describe('the sampler on scenes', () => {
  it('its first WorkstationState is whole: cards, jobs with memory, host, versions', async () => {
    // A busy machine takes its time.
    const { snapshots } = follow({ sceneId: 'eight-healthy', intervalSeconds: 60, firstPatienceMs: 60_000 });
    await until('a Snapshot', () => snapshots.length > 0);
    const [first] = snapshots;
    expect(first).toMatchObject({
      source: { kind: 'simulated', sceneId: 'eight-healthy' },
      driverVersion: '580.159.04',
      cudaVersion: '13.0',
      problems: [],
    });
    expect(first?.cards.map(({ memoryUsedBytes }) => (memoryUsedBytes ?? 0) / MiB)).toEqual([
      61_444,
      ...Array<number>(7).fill(61_426),
    ]);
    expect(first?.host.memoryTotalBytes).toBeGreaterThan(0);
    expect(first?.jobs).toHaveLength(1);
    expect(first?.jobs[0]).toMatchObject({ kind: 'torchrun', title: 'pretrain.py', worldSize: 8 });
    expect(first?.jobs[0]?.memoryBytes).toBe((8 * 61_426 + 18) * MiB);
    const roles = first?.jobs[0]?.members.map(({ role }) => role) ?? [];
    expect(roles.filter((role) => role === 'rank')).toHaveLength(8);
    expect(roles.filter((role) => role === 'worker')).toHaveLength(16);
    expect(roles.filter((role) => role === 'launcher')).toHaveLength(1);
  });

  it('makes one WorkstationState for each reading, in order', async () => {
    const { snapshots } = follow({ sceneId: 'slow-leak' });
    // Where a reading is late, as on a busy machine, a further Snapshot says how old the last one is.
    const read = () =>
      snapshots
        .filter(({ time, cardsReadAt }) => cardsReadAt !== null && time - cardsReadAt < 1)
        .map(({ cardsReadAt }) => cardsReadAt ?? 0);
    await until('six readings', () => read().length >= 6);
    expect(read().slice(2)).toEqual([...new Set(read().slice(2))].sort((a, b) => a - b));
    const leak = snapshots.map(({ cards }) => cards[0]?.memoryUsedBytes ?? 0);
    expect(leak.at(-1)).toBeGreaterThan(leak[0] ?? 0);
  });

  it('plays a scene as a time-lapse: the seconds of its Snapshots pass as fast as those of the scene', async () => {
    const { snapshots } = follow({ sceneId: 'slow-leak' }, { speed: 20 });
    const grown = () => {
      const readings = snapshots.filter(({ cards }) => (cards[0]?.memoryUsedBytes ?? 0) > 0);
      const [first, last] = [readings[0], readings.at(-1)];
      const bytes = (last?.cards[0]?.memoryUsedBytes ?? 0) - (first?.cards[0]?.memoryUsedBytes ?? 0);
      const seconds = (last?.cardsReadAt ?? 0) - (first?.cardsReadAt ?? 0);
      return { seconds, mebibytesPerSecond: bytes / MiB / seconds };
    };
    // 13 MiB a second of the scene. How late a reading is read counts the less, the longer it goes on.
    await until('the pace of the scene', () => {
      const { seconds, mebibytesPerSecond } = grown();
      return seconds > 60 && mebibytesPerSecond > 10 && mebibytesPerSecond < 16;
    });
  });

  it('a launcher that dies leaves one job with the same id, and its ranks', async () => {
    const { newest } = follow({ sceneId: 'eight-healthy' });
    const job = () => newest()?.jobs.find(({ members }) => members.some(({ rank }) => rank === 7));
    const launcher = () => job()?.members.find(({ role }) => role === 'launcher')?.process.pid;
    await until('the job', () => launcher() !== undefined);
    const id = job()?.id;
    const pid = launcher();
    if (pid === undefined) throw new Error('the launcher is gone already');
    process.kill(pid, 'SIGKILL');
    await until('the end of the launcher', () => job() !== undefined && launcher() === undefined);
    expect(job()?.id).toBe(id);
    expect(
      job()
        ?.members.filter(({ role }) => role === 'rank')
        .map(({ rank }) => rank),
    ).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('names the MIG instances of processes', async () => {
    const { newest } = follow({ sceneId: 'mig' });
    await until('the detailed report', () => newest()?.cards[0]?.mig.length === 3);
    expect(newest()?.processes.map(({ gpuIndex, gpuInstance }) => [gpuIndex, gpuInstance])).toEqual([
      [0, 1],
      [0, 5],
      [1, null],
    ]);
  });

  it('a mismatch at the start is told with no card, and goes when the driver works again', async () => {
    const { newest, codes } = follow({ sceneId: 'driver-mismatch' }, { speed: 3 });
    await until('the mismatch', () => codes().includes('driver-mismatch'));
    expect(newest()?.cards).toEqual([]);
    await until('recovery', () => newest()?.cards.length === 2 && codes().length === 0);
  });

  it('keeps telling once a second while nvidia-smi hangs, with the last values', async () => {
    const { snapshots, newest, codes } = follow({ sceneId: 'smi-hangs' }, { offsetSeconds: 8 });
    await until('silence', () => codes().includes('smi-silent'));
    expect(newest()?.cards).toHaveLength(2);
    expect(newest()?.jobs[0]?.memoryBytes).toBe(2 * 17_344 * MiB);
    const before = snapshots.length;
    await until('three more', () => snapshots.length >= before + 3);
  });

  it('changes from one scene to another, and refuses one that does not exist', async () => {
    const { sampler, newest } = follow({ sceneId: 'mig' });
    await until('the first', () => newest()?.cards.length === 2);
    await sampler.choose('eight-healthy');
    await until('the second', () => newest()?.cards.length === 8);
    await expect(sampler.choose('nothing')).rejects.toThrow('nothing');
    await pause(800);
    expect(newest()?.source.sceneId).toBe('eight-healthy');
  });
});

describe('the sampler on a machine', () => {
  it('without nvidia-smi tells so, and the host all the same', async () => {
    const { newest, codes } = follow({ nvidiaSmiPath: '/nowhere/nvidia-smi' });
    await until('a Snapshot', () => newest() !== undefined);
    expect(codes()).toEqual(['command-missing']);
    expect(newest()).toMatchObject({ cards: [], jobs: [], source: { kind: 'machine' } });
    expect(newest()?.host.memoryTotalBytes).toBeGreaterThan(0);
  });

  it('a card without memory of its own has the host’s, and what others use of it is no leftover', async () => {
    const program = path.join(temporaryFolder(), 'nvidia-smi');
    const answer = `
      const [first = ''] = process.argv.slice(2);
      const fields = first.startsWith('--query-gpu=') ? first.slice(12).split(',') : [];
      const known = { index: '0', uuid: 'GPU-10', name: 'NVIDIA GB10', count: '1', 'pci.bus_id': '0000000F:01:00.0', driver_version: '580.95.05', 'utilization.gpu': '3 %', timestamp: '2026/11/29 14:38:02.129' };
      const print = () => fields.length > 0 && console.log(fields.map((field) => known[field] ?? '[N/A]').join(', '));
      print();
      if (process.argv.some((word) => word.startsWith('-lms') || word.startsWith('--loop'))) setInterval(print, 500);
      else if (fields.length === 0) process.exit(0);
    `;
    writeFileSync(program, `#!${process.execPath}\n${answer}`);
    chmodSync(program, 0o755);
    const { snapshots, newest, codes } = follow({ nvidiaSmiPath: program });
    await until('six Snapshots', () => snapshots.filter(({ cards }) => cards.length > 0).length >= 6);
    const [card] = newest()?.cards ?? [];
    const { host } = newest() ?? {};
    expect(card).toMatchObject({ name: 'NVIDIA GB10', sharesHostMemory: true });
    expect(card?.memoryTotalBytes).toBe(host?.memoryTotalBytes);
    expect(card?.memoryFreeBytes).toBe(host?.memoryAvailableBytes);
    expect(codes()).toContain('unified-memory');
    expect(codes()).not.toContain('memory-unattributed');
  });

  it('tells that the chosen program may not be run, and starts another that is chosen', async () => {
    const folder = temporaryFolder();
    const refused = path.join(folder, 'nvidia-smi');
    writeFileSync(refused, 'not a program');
    chmodSync(refused, 0o644);
    const { sampler, newest, codes } = follow({ nvidiaSmiPath: refused });
    await until('a Snapshot', () => newest() !== undefined);
    expect(codes()).toEqual(['smi-not-allowed']);

    const works = path.join(folder, 'works');
    writeFileSync(works, '#!/bin/sh\necho "No devices were found"\nexit 6\n');
    chmodSync(works, 0o755);
    await sampler.configure(0.5, works);
    await until('its answer', () => codes().includes('no-devices'));
  });
});
