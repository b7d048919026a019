import { describe, expect, test } from 'vitest';
import { inspect } from '../../../electron/commands/inspect';
import { call } from './cliSupport';

const csv =
  'index, uuid, name, driver_version, memory.total [MiB], memory.used [MiB], memory.free [MiB], utilization.gpu [%], temperature.gpu, power.draw [W], power.limit [W]\n' +
  '0, GPU-1, NVIDIA GeForce RTX 3090, 555.42, 24576 MiB, 23600 MiB, 500 MiB, 98 %, 71, 340.12 W, 350.00 W\n';

const apps =
  'gpu_uuid, pid, process_name, used_gpu_memory [MiB]\nGPU-1, 677, /opt/\u001b]0;evil\u0007python, 23000 MiB\n';

const run = (text: string, ...words: string[]) =>
  call([inspect], ['inspect', 'f', ...words], { files: { f: text } });

describe('headroom inspect', () => {
  test('--json prints exactly one value with the keys of the contract', async () => {
    const { code, stdout, stderr } = await run(csv, '--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    const answer: unknown = JSON.parse(stdout);
    expect(answer).toMatchObject({
      format: 'csv-gpu',
      driverVersion: '555.42',
      cudaVersion: null,
      processes: [],
      links: [],
      problems: [],
      cards: [
        {
          index: 0,
          uuid: 'GPU-1',
          name: 'NVIDIA GeForce RTX 3090',
          memoryTotalBytes: 25769803776,
          memoryUsedBytes: 24746393600,
          memoryFreeBytes: 524288000,
          memoryReservedBytes: null,
          utilizationPercent: 98,
          temperatureC: 71,
          powerWatts: 340.12,
          powerLimitWatts: 350,
          mig: [],
        },
      ],
    });
  });

  test.each([
    ['quoted in a mail', (text: string) => text.replace(/^(?=.)/gm, '> ')],
    ['of a container’s log', (text: string) => text.replace(/^(?=.)/gm, '2024-05-11T02:24:26.1234567Z ')],
  ])('an output %s is read like the plain one', async (_how, wrap) => {
    const table =
      'GPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-1)\nGPU 1: NVIDIA GeForce RTX 3090 (UUID: GPU-2)\n';
    for (const text of [table, csv]) {
      const plain: unknown = JSON.parse((await run(text, '--json')).stdout);
      const wrapped = await run(wrap(text), '--json');
      expect(wrapped.code).toBe(0);
      expect(JSON.parse(wrapped.stdout)).toEqual(plain);
    }
  });

  test('a matrix of links is printed as aligned links, without a list of bare card numbers', async () => {
    const matrix = '\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV12\t0-31\nGPU1\tNV12\t X \t0-31\n';
    const { code, stdout } = await run(matrix);
    expect(code).toBe(0);
    expect(stdout).toBe('GPU0  GPU1  NV12\n');
  });

  test('problems are words in the JSON, in the language asked for', async () => {
    const text = 'Failed to initialize NVML: Driver/library version mismatch\n';
    const english = await run(text, '--json');
    expect(english.code).toBe(1);
    expect(JSON.parse(english.stdout)).toMatchObject({
      format: 'error',
      problems: [
        {
          code: 'driver-mismatch',
          message: 'The NVIDIA driver was updated, but the kernel still runs the old module.',
          remedy:
            'Reboot, or unload and load the nvidia kernel modules once no program uses the cards. Jobs that run now are not affected.',
        },
      ],
    });
    const chinese = await call([inspect], ['inspect', 'f', '--json'], {
      files: { f: text },
      locale: 'zh-CN',
    });
    expect(chinese.stdout).toContain('NVIDIA 驱动已更新，但内核仍在运行旧的驱动模块。');
  });

  test('what is not nvidia-smi’s is answered, named and exit 2', async () => {
    const { code, stdout, stderr } = await run('hello\n', '--json');
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ format: 'unknown', cards: [] });
    expect(stderr).toBe(
      'headroom inspect: f: not an output of nvidia-smi; expected one of its tables, queries, XML or messages\n',
    );
  });

  test('without --json a person reads cards, processes and what to do', async () => {
    expect((await run(csv)).stdout).toBe(
      [
        'Driver 555.42, CUDA unknown',
        '',
        '#  Card                     Used      Total     Busy  Temperature  Power',
        '0  NVIDIA GeForce RTX 3090  23.0 GiB  24.0 GiB  98 %  71 °C        340.1 W',
        '',
      ].join('\n'),
    );
    const failure = await run('No devices were found\n');
    expect(failure.code).toBe(1);
    expect(failure.stdout).toMatch(
      /^! The driver runs, but no NVIDIA card is visible\.\n {2}Check that "lspci"/,
    );
  });

  test('the names of processes cannot steer the terminal', async () => {
    const { stdout } = await run(apps);
    expect(stdout).toContain('/opt/\ufffd]0;evil\ufffdpython');
    expect(stdout).not.toContain('\u001b');
  });

  test('a missing file', async () => {
    const answer = await call([inspect], ['inspect', 'nowhere.txt']);
    expect(answer).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'headroom inspect: nowhere.txt: no such file; expected a file that can be read, or - for standard input\n',
    });
  });
});
