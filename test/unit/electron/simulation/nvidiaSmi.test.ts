import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { observe } from '../../../../electron/simulation/observe';
import { findScene } from '../../../../electron/simulation/scenes';
import { readOutput } from '../../../../shared/gpu/smi/output';
import { MiB } from '../../../../shared/units';
import type { SimulatedWorkstation } from '../../../../electron/simulation/workstation';
import { pause, temporaryFolder, until } from '../sensing/support';
import { ask, builtStandIn, startWorkstation } from './standIn';

const standIn = builtStandIn();
const csv = '--format=csv';
/** A clock that stands still, so that an answer can be compared with the scene. */
const still = { speed: 0 };

async function settledWorkstation(sceneId: string, offsetSeconds: number, programs: number) {
  const workstation = startWorkstation(standIn, sceneId, { ...still, offsetSeconds });
  await until('its processes', () => workstation.pids().size === programs);
  return workstation;
}

describe('what the stand-in prints is read back by the parsers of the real one', () => {
  it('--query-gpu', async () => {
    const workstation = await settledWorkstation('eight-healthy', 10, 25);
    const { exitCode, text } = await ask(workstation, [
      '--query-gpu=timestamp,count,index,uuid,name,pci.bus_id,memory.total,memory.reserved,memory.used,memory.free,utilization.gpu,temperature.gpu,power.draw,power.limit,fan.speed,clocks.sm,clocks_event_reasons.active',
      csv,
    ]);
    expect(exitCode).toBe(0);
    const reading = readOutput(text);
    expect(reading).toMatchObject({ format: 'csv-gpu', problems: [] });
    expect(reading.cards).toHaveLength(8);
    const scene = findScene('eight-healthy');
    if (scene === null) throw new Error('no such scene');
    const expected = observe(scene, 10, workstation.pids());
    reading.cards.forEach((card, index) => {
      const seen = expected[index];
      expect(card).toMatchObject({
        index,
        uuid: seen?.card.uuid,
        name: 'NVIDIA A100-SXM4-80GB',
        memoryTotalBytes: 81_920 * MiB,
        memoryReservedBytes: 693 * MiB,
        memoryUsedBytes: (seen?.usedMiB ?? NaN) * MiB,
        memoryFreeBytes: (seen?.freeMiB ?? NaN) * MiB,
        utilizationPercent: seen?.utilizationPercent,
        temperatureC: seen?.temperatureC,
        powerLimitWatts: 400,
        fanPercent: null,
        throttleReasons: [],
      });
    });
  });

  it('--query-compute-apps', async () => {
    const workstation = await settledWorkstation('stray-contexts', 5, 9);
    const { text } = await ask(workstation, [
      '--query-compute-apps=gpu_uuid,pid,process_name,used_memory',
      csv,
    ]);
    const reading = readOutput(text);
    expect(reading.format).toBe('csv-apps');
    const pids = workstation.pids();
    expect(reading.processes.map(({ pid, usedBytes }) => [pid, (usedBytes ?? NaN) / MiB])).toEqual([
      [pids.get('train.rank0'), 18_560],
      [pids.get('train.rank1'), 486],
      [pids.get('train.rank2'), 486],
      [pids.get('train.rank3'), 486],
      [pids.get('train.rank1'), 18_560],
      [pids.get('train.rank2'), 18_560],
      [pids.get('train.rank3'), 18_560],
    ]);
  });

  it.each([
    [['-q', '-x'], 'xml'],
    [['-q'], 'query-text'],
    [[], 'table'],
  ] as const)('%j with its processes and MIG instances', async (args, format) => {
    const workstation = await settledWorkstation('mig', 5, 3);
    const { exitCode, text } = await ask(workstation, args);
    expect(exitCode).toBe(0);
    const reading = readOutput(text);
    expect(reading).toMatchObject({
      format,
      driverVersion: '580.159.04',
      cudaVersion: '13.0',
      problems: [],
    });
    expect(reading.cards.map(({ memoryUsedBytes }) => (memoryUsedBytes ?? NaN) / MiB)).toEqual([
      38_790, 71_840,
    ]);
    expect(reading.cards.map(({ utilizationPercent }) => utilizationPercent === null)).toEqual([true, false]);
    const pids = workstation.pids();
    expect(
      reading.processes.map(({ pid, gpuIndex, gpuInstance, type, usedBytes }) => [
        pid,
        gpuIndex,
        gpuInstance,
        type,
        (usedBytes ?? NaN) / MiB,
      ]),
    ).toEqual([
      [pids.get('bert'), 0, 1, 'C', 31_488],
      [pids.get('probe'), 0, 5, 'C', 7_302],
      [pids.get('llama'), 1, null, 'C', 71_840],
    ]);
    if (format !== 'query-text')
      expect(
        reading.cards[0]?.mig.map(({ gpuInstance, memoryTotalBytes }) => [gpuInstance, memoryTotalBytes]),
      ).toEqual([
        [1, 40_192 * MiB],
        [5, 19_968 * MiB],
        [13, 9_728 * MiB],
      ]);
  });

  it.each([
    [['-L'], 'list'],
    [['topo', '-m'], 'topo'],
    [['pmon', '-c', '1'], 'pmon'],
    [['dmon', '-c', '1'], 'dmon'],
    [['--version'], 'version'],
  ] as const)('%j', async (args, format) => {
    const workstation = await settledWorkstation('two-3090-oom', 5, 7);
    const { exitCode, text } = await ask(workstation, args);
    expect(exitCode).toBe(0);
    const reading = readOutput(text);
    expect(reading).toMatchObject({ format, problems: [] });
    if (format === 'list')
      expect(reading.cards.map(({ name }) => name)).toEqual(Array(2).fill('NVIDIA GeForce RTX 3090'));
    if (format === 'topo') expect(reading.links).toMatchObject([{ from: 'GPU0', to: 'GPU1', kind: 'PHB' }]);
  });
});

describe('formats of the CSV queries', () => {
  it('header, units, and neither', async () => {
    const workstation = await settledWorkstation('two-3090-oom', 5, 7);
    const query = '--query-gpu=index,memory.total,fan.speed,compute_cap';
    expect((await ask(workstation, [query, csv])).text.split('\n')[0]).toBe(
      'index, memory.total [MiB], fan.speed [%], compute_cap',
    );
    expect((await ask(workstation, [query, `${csv},noheader`])).text.split('\n')[1]).toMatch(
      /^1, 24576 MiB, \d+ %, 8\.6$/,
    );
    expect((await ask(workstation, [query, `${csv},noheader,nounits`])).text.split('\n')[1]).toMatch(
      /^1, 24576, \d+, 8\.6$/,
    );
  });

  it('with no process on the cards and without a header the process query prints nothing', async () => {
    const workstation = await settledWorkstation('driver-mismatch', 40, 1);
    const [pid] = workstation.pids().values();
    if (pid === undefined) throw new Error('no process');
    process.kill(pid, 'SIGKILL');
    await until('the end of the only process', () => workstation.pids().size === 0);
    const query = '--query-compute-apps=pid,used_memory';
    expect(await ask(workstation, [query, `${csv},noheader`])).toEqual({ exitCode: 0, text: '' });
    expect((await ask(workstation, [query, csv])).text).toBe('pid, used_gpu_memory [MiB]\n');
  });

  it('an unknown field fails the whole query with the line and status of the real one', async () => {
    const workstation = await settledWorkstation('two-3090-oom', 5, 7);
    expect(await ask(workstation, ['--query-gpu=index,nosuchfield,name', csv])).toEqual({
      exitCode: 2,
      text: 'Field "nosuchfield" is not a valid field to query.\n\n',
    });
  });

  it('-i chooses cards by index, UUID and bus id', async () => {
    const workstation = await settledWorkstation('eight-healthy', 5, 25);
    const { text } = await ask(workstation, [
      '--query-gpu=index',
      `${csv},noheader`,
      '-i',
      '1,GPU-5ce7e000-0000-4000-8000-000000000004,00000000:71:00.0',
    ]);
    expect(text).toBe('1\n3\n7\n');
    expect(await ask(workstation, ['-q', '-x', '--id=99'])).toEqual({
      exitCode: 6,
      text: 'No devices were found\n',
    });
  });

  it.each([
    [['--nosuchoption'], /is not recognized/],
    [['-q', '-x', '-d', 'MEMORY'], /can not be combined with -x/],
    [['--query-gpu=index'], /"--format=" switch is missing/],
  ] as const)('%j is refused', async (args, text) => {
    const workstation = startWorkstation(standIn, 'two-3090-oom', still);
    const answer = await ask(workstation, args);
    expect(answer.exitCode).not.toBe(0);
    expect(answer.text).toMatch(text);
  });
});

describe('failures and timing', () => {
  it('a driver mismatch, and its recovery', async () => {
    const broken = startWorkstation(standIn, 'driver-mismatch', still);
    const answer = await ask(broken, ['-q', '-x']);
    expect(answer.exitCode).toBe(18);
    expect(readOutput(answer.text)).toMatchObject({
      format: 'error',
      problems: [{ code: 'driver-mismatch' }],
    });
    const recovered = startWorkstation(standIn, 'driver-mismatch', { ...still, offsetSeconds: 31 });
    expect((await ask(recovered, ['-q', '-x'])).exitCode).toBe(0);
  });

  it('a lost card fails every call but those that leave it out', async () => {
    const workstation = startWorkstation(standIn, 'card-lost', { ...still, offsetSeconds: 20 });
    const answer = await ask(workstation, ['--query-gpu=index', `${csv},noheader`]);
    expect(answer.exitCode).toBe(15);
    expect(readOutput(answer.text).problems).toMatchObject([{ code: 'card-lost' }]);
    expect((await ask(workstation, ['--query-gpu=index', `${csv},noheader`, '--id=0,1,3'])).text).toBe(
      '0\n1\n3\n',
    );
  });

  it('a hang prints nothing and takes no SIGTERM', async () => {
    const hung = startWorkstation(standIn, 'smi-hangs', { ...still, offsetSeconds: 30 });
    const folder = temporaryFolder();
    const [preload, mark] = [path.join(folder, 'preload.cjs'), path.join(folder, 'mark')];
    writeFileSync(preload, marksSigterm);
    const { child, text } = start(hung, ['--query-gpu=index', `${csv},noheader`], {
      NODE_OPTIONS: `--require=${preload}`,
      TAKES_SIGTERM: mark,
    });
    await until('the hang', () => existsSync(mark));
    child.kill('SIGTERM');
    await pause(500);
    expect([child.exitCode, child.signalCode, text()]).toEqual([null, null, '']);
  });

  it('a call goes on when a hang is over', async () => {
    // The hang ends at second 36.
    const workstation = startWorkstation(standIn, 'smi-hangs', { offsetSeconds: 33 });
    const { text } = start(workstation, ['--query-gpu=index', `${csv},noheader`]);
    await until('its answer', () => text() !== '');
    expect(workstation.seconds()).toBeGreaterThan(36);
    expect(text()).toBe('0\n1\n');
  });

  it('a loop answers again and again, with the header once, and ends when nobody reads', async () => {
    const workstation = startWorkstation(standIn, 'eight-healthy');
    const { child, text } = start(workstation, ['--query-gpu=index', csv, '-lms', '200', '-i', '0']);
    await until('four answers', () => text().split('\n').length > 5);
    expect(text().startsWith('index\n0\n0\n0\n0\n')).toBe(true);
    child.stdout.destroy();
    await until('its end', () => child.exitCode !== null);
  });
});

/** Starts the stand-in of a workstation and collects what it prints. */
function start(
  workstation: SimulatedWorkstation,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
) {
  const { command, leadingArguments, environment } = workstation.nvidiaSmi;
  const child = spawn(command, [...leadingArguments, ...args], {
    env: { ...process.env, ...environment, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, text: () => text };
}

/** Leaves a file when the program begins to take SIGTERM: a signal before would end it. */
const marksSigterm = `
  const { on } = process;
  process.on = function (name, ...rest) {
    on.call(this, name, ...rest);
    if (name === 'SIGTERM') require('node:fs').writeFileSync(process.env.TAKES_SIGTERM, '');
    return this;
  };`;
