import { describe, expect, test } from 'vitest';
import { readOutput } from '../../../../../shared/gpu/smi/output';
import { appRowReader, readQueryApps, usualAppFields } from '../../../../../shared/gpu/smi/queryApps';
import { MiB } from '../../../../../shared/units';

const read = appRowReader(usualAppFields);
const uuid = 'GPU-d919a087-b7a6-bc5e-1aa2-ef9b57df2dc3';

describe('a process line', () => {
  test('gives card, pid, name and memory', () => {
    expect(read(`${uuid}, 677, /opt/torch/.venv/bin/python3, 2926`)?.process).toEqual({
      gpuIndex: null,
      gpuUuid: uuid,
      pid: 677,
      type: null,
      name: '/opt/torch/.venv/bin/python3',
      usedBytes: 2926 * MiB,
      gpuInstance: null,
      computeInstance: null,
    });
  });

  test.each([
    'python, the, second',
    'python train.py --lr=1,2,3 --name="a, b"',
    'memhög?x',
    '[celeryd: worker@host:MainProcess] -active-',
    'none',
    'error',
    '训练',
  ])('keeps the name %j', (name) => {
    const row = read(`${uuid}, 677, ${name}, 12 MiB`);
    expect(row?.process).toMatchObject({ pid: 677, name, usedBytes: 12 * MiB });
  });

  test.each([
    '(null)',
    '-',
    '',
    '[Not Found]',
    'Unknown Error',
    '[Unknown Error]',
    'Insufficient Permissions',
    '[N/A]',
  ])('the name %j is none', (name) => {
    expect(read(`${uuid}, 677, ${name}, 5371 MiB`)?.process).toMatchObject({
      pid: 677,
      name: null,
      usedBytes: 5371 * MiB,
    });
  });

  test.each(['[N/A]', 'N/A', '[Not Supported]', '[Insufficient Permissions]'])(
    'memory %s is unknown',
    (memory) => {
      expect(read(`${uuid}, 677, dwm.exe, ${memory}`)?.process.usedBytes).toBeNull();
    },
  );

  test.each([
    ['no row at all', 'hello, world'],
    ['a shifted row', `677, ${uuid}, python, 12`],
    ['memory that is a word', `${uuid}, 677, python, lots`],
    ['half a row', `${uuid}, 677`],
  ])('refuses %s', (_what, line) => {
    expect(read(line)).toBeNull();
  });

  test('pids that a changed NVML struct prints are none', () => {
    expect(read(`${uuid}, 0, python, 12`)?.process.pid).toBeNull();
    expect(read(`${uuid}, 4294967295, python, 12`)?.process.pid).toBeNull();
  });
});

describe('a saved output', () => {
  test('only a header is an answer: no processes', () => {
    const reading = readOutput('gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n');
    expect([reading.format, reading.processes, reading.problems]).toEqual(['csv-apps', [], []]);
  });

  test('rows that the driver hides are told once and left out', () => {
    const hidden = `${uuid}, [Insufficient Permissions], [Insufficient Permissions], [Insufficient Permissions]`;
    const reading = readQueryApps(
      `gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n${hidden}\n${hidden}\n`,
    );
    expect(reading.processes).toEqual([]);
    expect(reading.problems.map(({ code }) => code)).toEqual(['processes-hidden']);
  });

  test('of a loop the newest tick counts', () => {
    const reading = readQueryApps(
      [
        'timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]',
        `2026/01/01 10:00:00.100, ${uuid}, 1, a, 1 MiB`,
        `2026/01/01 10:00:00.104, ${uuid}, 2, b, 1 MiB`,
        `2026/01/01 10:00:01.101, ${uuid}, 2, b, 5 MiB`,
      ].join('\n'),
    );
    expect(reading.processes.map(({ pid, usedBytes }) => [pid, usedBytes])).toEqual([[2, 5 * MiB]]);
  });

  test('accounted processes give the most they held', () => {
    const reading = readOutput(
      'gpu_name, gpu_bus_id, gpu_uuid, vgpu_instance, pid, gpu_utilization [%], mem_utilization [%], max_memory_usage [MiB], time [ms]\n' +
        `Tesla T4, 00000000:01:00.0, ${uuid}, N/A, 18679, 99 %, 13 %, 2048 MiB, 153712 ms\n`,
    );
    expect(reading.format).toBe('csv-accounted');
    expect(reading.processes).toMatchObject([{ pid: 18679, usedBytes: 2048 * MiB, gpuUuid: uuid }]);
  });

  test('a cut last line is told', () => {
    const reading = readOutput(
      `gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n${uuid}, 1, a, 1 MiB\n${uuid}, 12`,
    );
    expect(reading.processes).toHaveLength(1);
    expect(reading.problems.map(({ code }) => code)).toEqual(['input-cut']);
  });
});
