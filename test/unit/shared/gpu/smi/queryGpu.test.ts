import { describe, expect, test } from 'vitest';
import { gpuRowReader, readQueryGpu } from '../../../../../shared/gpu/smi/queryGpu';
import { readOutput } from '../../../../../shared/gpu/smi/output';
import { faultProblems } from '../../../../../shared/gpu/smi/faults';
import { MiB } from '../../../../../shared/units';

const streamFields = [
  'timestamp',
  'index',
  'uuid',
  'name',
  'memory.total',
  'memory.used',
  'memory.free',
  'utilization.gpu',
];
const streamLine =
  '2026/11/29 14:38:02.129, 0, GPU-bae1eb86-3098-d76c-c5c4-a91a2d461618, NVIDIA H200, 143771, 4343, 138814, 7';

function codesOf(fields: readonly string[], line: string): string[] | null {
  const row = gpuRowReader(fields)(line);
  return row === null ? null : faultProblems(row.card, row.faults).map(({ code }) => code);
}

test.each([
  'index, name, memory.total [MiB], memory.used [MiB]\n',
  'index, name, memory.total [MiB], memory.us',
  'timestamp, index, uu',
])('a header with no line after it was cut: %j', (text) => {
  const reading = readQueryGpu(text);
  expect(reading.cards).toEqual([]);
  expect(reading.problems.map(({ code }) => code)).toEqual(['input-cut']);
});

describe('a line of a stream', () => {
  test('gives the card and its moment', () => {
    const row = gpuRowReader(streamFields)(streamLine);
    expect(row?.timestamp).toBe('2026/11/29 14:38:02.129');
    expect(row?.card).toMatchObject({
      index: 0,
      uuid: 'GPU-bae1eb86-3098-d76c-c5c4-a91a2d461618',
      name: 'NVIDIA H200',
      memoryTotalBytes: 143771 * MiB,
      memoryUsedBytes: 4343 * MiB,
      memoryFreeBytes: 138814 * MiB,
      utilizationPercent: 7,
      temperatureC: null,
    });
  });

  test('reads units alike', () => {
    const fields = ['index', 'memory.used [MiB]', 'power.draw [W]', 'fan.speed [%]', 'clocks.sm [MHz]'];
    expect(gpuRowReader(fields)('1, 512 MiB, 228.82 W, 104 %, 1980 MHz')?.card).toMatchObject({
      index: 1,
      memoryUsedBytes: 512 * MiB,
      powerWatts: 228.82,
      fanPercent: 104,
      smClockMHz: 1980,
    });
  });

  test.each([
    ['an Xid message', 'NVRM: Xid (PCI:0000:0b:00): 79, pid=1, GPU has fallen off the bus.'],
    ['half a line', '2026/11/29 14:38:02.129, 0, GPU-bae1eb86'],
    ['a header', streamFields.join(', ')],
    ['a shifted line', 'x, 2026/11/29 14:38:02.129, 0, GPU-bae1eb86, NVIDIA H200, 1, 2, 3'],
    ['an empty line', ''],
  ])('refuses %s', (_what, line) => {
    expect(gpuRowReader(streamFields)(line)).toBeNull();
  });

  test('a comma in the name does not shift the columns', () => {
    const row = gpuRowReader(['index', 'name', 'memory.used'])('0, Some, odd card, 12');
    expect(row?.card).toMatchObject({ index: 0, name: 'Some, odd card', memoryUsedBytes: 12 * MiB });
  });

  test('refuses more cells than columns where no column is free text', () => {
    expect(gpuRowReader(['index', 'memory.used'])('0, 12, 13')).toBeNull();
  });

  test.each([
    'N/A',
    '[N/A]',
    '[Not Supported]',
    '[Requested functionality has been deprecated]',
    '[Function Not Found]',
    '',
  ])('"%s" is unknown and no fault', (cell) => {
    const row = gpuRowReader(['index', 'temperature.gpu', 'fan.speed'])(`0, ${cell}, ${cell}`);
    expect(row?.card).toMatchObject({ temperatureC: null, fanPercent: null });
    expect(codesOf(['index', 'temperature.gpu', 'fan.speed'], `0, ${cell}, ${cell}`)).toEqual([]);
  });

  test('[Unknown Error] is unknown and told with its field', () => {
    const fields = ['index', 'fan.speed', 'memory.used'];
    const row = gpuRowReader(fields)('0, [Unknown Error], 12');
    expect(row?.faults.errorFields).toEqual(['fan.speed']);
    expect(codesOf(fields, '0, [Unknown Error], 12')).toEqual(['card-error']);
  });

  test('[GPU requires reset] marks the card as faulted', () => {
    const fields = ['index', 'memory.total', 'memory.used', 'utilization.gpu', 'temperature.gpu'];
    expect(codesOf(fields, '0, 24576 MiB, 0 MiB, [GPU requires reset], [GPU requires reset]')).toEqual([
      'card-needs-reset',
    ]);
  });

  test('gpu_recovery_action tells the same in newer drivers', () => {
    expect(codesOf(['index', 'gpu_recovery_action'], '0, Reset')).toEqual(['card-needs-reset']);
    expect(codesOf(['index', 'gpu_recovery_action'], '0, Drain and Reset')).toEqual(['card-needs-reset']);
    expect(codesOf(['index', 'gpu_recovery_action'], '0, None')).toEqual([]);
  });

  test.each([
    ['[N/A], [N/A], [N/A]', 'GB10'],
    ['0, 0, 0', 'a total of 0'],
  ])('%s is unified memory (%s)', (cells) => {
    const fields = ['index', 'name', 'memory.total', 'memory.used', 'memory.free'];
    const row = gpuRowReader(fields)(`0, NVIDIA GB10, ${cells}`);
    expect(row?.card.memoryTotalBytes).toBeNull();
    expect(codesOf(fields, `0, NVIDIA GB10, ${cells}`)).toEqual(['unified-memory']);
  });

  test('a MIG parent hides its utilisation and keeps its memory', () => {
    const row = gpuRowReader(['index', 'utilization.gpu', 'memory.total', 'memory.used'])(
      '0, [N/A], 81559 MiB, 11125 MiB',
    );
    expect(row?.card).toMatchObject({ utilizationPercent: null, memoryUsedBytes: 11125 * MiB });
  });

  test('unset values are unknown', () => {
    const row = gpuRowReader(['index', 'memory.used', 'utilization.gpu', 'power.draw'])(
      '0, 17592186044415 MiB, 37100 %, 18446744073709551615 W',
    );
    expect(row?.card).toMatchObject({ memoryUsedBytes: null, utilizationPercent: null, powerWatts: null });
  });
});

describe('names of fields', () => {
  test.each([
    ['uuid', 'gpu_uuid', 'GPU-1', { uuid: 'GPU-1' }],
    ['name', 'gpu_name', 'Tesla T4', { name: 'Tesla T4' }],
    ['pci.bus_id', 'gpu_bus_id', '0000:0b:00.0', { pciBusId: '00000000:0B:00.0' }],
    ['clocks.sm', 'clocks.current.sm', '1980', { smClockMHz: 1980 }],
    ['clocks.mem', 'clocks.current.memory', '3201', { memoryClockMHz: 3201 }],
    ['power.limit', 'gpu.power.requested_limit', '700.00', { powerLimitWatts: 700 }],
    ['enforced.power.limit', 'gpu.power.current_limit', '650.00', { powerLimitWatts: 650 }],
    ['power.draw.average', 'gpu.power.draw.average', '295.01', { powerWatts: 295.01 }],
    ['power.draw.instant', 'gpu.power.draw.instant', '294.14', { powerWatts: 294.14 }],
    [
      'clocks_throttle_reasons.active',
      'clocks_event_reasons.active',
      '0x0000000000000064',
      { throttleReasons: ['sw_power_cap', 'sw_thermal_slowdown', 'hw_thermal_slowdown'] },
    ],
    [
      'clocks_throttle_reasons.hw_slowdown',
      'clocks_event_reasons.hw_slowdown',
      'Active',
      { throttleReasons: ['hw_slowdown'] },
    ],
  ] as const)('%s and %s', (one, other, cell, value) => {
    expect(gpuRowReader([one])(cell)?.card).toMatchObject(value);
    expect(gpuRowReader([other])(cell)?.card).toMatchObject(value);
  });

  test('power.draw wins over its average and instant forms, in any order', () => {
    const fields = ['power.draw', 'power.draw.average', 'power.draw.instant'];
    expect(gpuRowReader(fields)('1.00, 2.00, 3.00')?.card.powerWatts).toBe(1);
    expect(gpuRowReader([...fields].reverse())('3.00, 2.00, 1.00')?.card.powerWatts).toBe(1);
    expect(gpuRowReader(fields)('[N/A], [N/A], 3.00')?.card.powerWatts).toBe(3);
  });

  test('an idle card is not held down', () => {
    expect(gpuRowReader(['clocks_event_reasons.active'])('0x0000000000000001')?.card.throttleReasons).toEqual(
      [],
    );
  });

  test('the driver under its name of driver 610', () => {
    expect(gpuRowReader(['driver_version', 'kmd_version'])('[N/A], 610.57.04')?.driverVersion).toBe(
      '610.57.04',
    );
    expect(gpuRowReader(['driver_version'])('418.87.01')?.driverVersion).toBe('418.87.01');
  });

  test('modes are one spelling', () => {
    const row = gpuRowReader(['persistence_mode', 'compute_mode'])('Enabled, Exclusive_Process');
    expect(row?.card).toMatchObject({ persistenceMode: true, computeMode: 'Exclusive_Process' });
  });
});

describe('a saved output', () => {
  test('keeps the newest reading of each card of a loop', () => {
    const reading = readQueryGpu(
      [
        'timestamp, index, memory.used [MiB]',
        '2026/01/01 10:00:00.100, 0, 100 MiB',
        '2026/01/01 10:00:00.102, 1, 200 MiB',
        '2026/01/01 10:00:01.100, 0, 110 MiB',
        '2026/01/01 10:00:01.103, 1, 210 MiB',
        '',
      ].join('\n'),
    );
    expect(reading.cards.map(({ index, memoryUsedBytes }) => [index, (memoryUsedBytes ?? 0) / MiB])).toEqual([
      [0, 110],
      [1, 210],
    ]);
    expect(reading.problems).toEqual([]);
  });

  test('a loop without index, uuid and bus id is told apart by its ticks', () => {
    const reading = readQueryGpu(
      [
        'timestamp, name, memory.used [MiB]',
        '2026/01/01 10:00:00.100, Tesla T4, 100 MiB',
        '2026/01/01 10:00:00.102, Tesla T4, 200 MiB',
        '2026/01/01 10:00:01.100, Tesla T4, 110 MiB',
        '2026/01/01 10:00:01.103, Tesla T4, 210 MiB',
      ].join('\n'),
    );
    expect(reading.cards.map(({ index, memoryUsedBytes }) => [index, (memoryUsedBytes ?? 0) / MiB])).toEqual([
      [0, 110],
      [1, 210],
    ]);
  });

  test('a cut last line gives the lines before and a problem', () => {
    const reading = readQueryGpu('index, name, memory.used [MiB]\n0, Tesla T4, 100 MiB\n1, Tes');
    expect(reading.cards.map(({ index }) => index)).toEqual([0]);
    expect(reading.problems.map(({ code }) => code)).toEqual(['input-cut']);
  });

  test('lines of another program between the rows are counted', () => {
    const reading = readQueryGpu('index, memory.used [MiB]\nhello world\n0, 1 MiB\nwhat is this\n1, 2 MiB\n');
    expect(reading.cards).toHaveLength(2);
    expect(reading.problems.map(({ code, message }) => [code, message.values])).toEqual([
      ['input-damaged', { count: 2, line: 2 }],
    ]);
  });

  test('fewer cards than the driver counts are told', () => {
    const reading = readQueryGpu('count, index, memory.used [MiB]\n4, 0, 1 MiB\n');
    expect(reading.problems.map(({ code }) => code)).toEqual(['cards-missing']);
  });

  test('a byte-order mark, CRLF and non-breaking spaces do not matter', () => {
    const reading = readOutput('\ufeffindex, name, memory.used [MiB]\r\n0, Tesla\u00a0T4, 100\u00a0MiB\r\n');
    expect(reading.format).toBe('csv-gpu');
    expect(reading.cards[0]).toMatchObject({ name: 'Tesla T4', memoryUsedBytes: 100 * MiB });
  });

  test('without a header only cells of unmistakable shape are read, and that is told', () => {
    const reading = readOutput(
      '0, NVIDIA GeForce RTX 3090, 24576 MiB, 1200 MiB\n1, NVIDIA GeForce RTX 3090, 24576 MiB, 3 MiB\n',
    );
    expect(reading.format).toBe('csv-gpu');
    expect(reading.cards.map(({ index, name, memoryTotalBytes }) => [index, name, memoryTotalBytes])).toEqual(
      [
        [0, 'NVIDIA GeForce RTX 3090', null],
        [1, 'NVIDIA GeForce RTX 3090', null],
      ],
    );
    expect(reading.problems.map(({ code }) => code)).toEqual(['header-missing']);
  });

  test.each([
    'a, b, c\n1, 2, 3\n',
    'NVIDIA GPUs can provide error counts for various types of errors, and more.\n',
    'import torch\nprint(torch.cuda.memory_summary())\n',
    '',
    '{"name": "NVIDIA H200", "memory": 3}\n',
  ])('%j is not taken for an output of nvidia-smi', (text) => {
    expect(readOutput(text).format).toBe('unknown');
  });
});
