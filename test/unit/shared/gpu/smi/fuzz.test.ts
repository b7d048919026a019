import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readOutput } from '../../../../../shared/gpu/smi/output';
import { gpuRowReader } from '../../../../../shared/gpu/smi/queryGpu';
import { appRowReader, usualAppFields } from '../../../../../shared/gpu/smi/queryApps';
import type { GpuReading } from '../../../../../shared/gpu/types';

const folder = path.resolve(import.meta.dirname, '../../../../fixtures/smi');
const outputs = [
  ...readdirSync(folder).filter((file) => /\.(?:txt|csv|xml)$/.test(file)),
  ...readdirSync(path.join(folder, 'typed')).map((file) => `typed/${file}`),
].map((file) => readFileSync(path.join(folder, file), 'utf8'));
const output = fc.constantFrom(...outputs);

function isNumberOrNull(value: number | null, min: number, max = Infinity): boolean {
  return value === null || (Number.isFinite(value) && value >= min && value <= max);
}

/** Whether a reading holds only values that nvidia-smi can mean, and says what is wrong where it must. */
function isSound(reading: GpuReading): boolean {
  return (
    reading.cards.every(
      (card) =>
        [card.memoryTotalBytes, card.memoryUsedBytes, card.memoryFreeBytes, card.memoryReservedBytes].every(
          (bytes) => isNumberOrNull(bytes, 0),
        ) &&
        isNumberOrNull(card.utilizationPercent, 0, 100) &&
        isNumberOrNull(card.powerWatts, 0) &&
        isNumberOrNull(card.temperatureC, -Infinity) &&
        isNumberOrNull(card.index, 0),
    ) &&
    reading.processes.every(
      ({ pid, usedBytes }) => pid !== null && pid > 0 && isNumberOrNull(usedBytes, 0),
    ) &&
    reading.problems.every(({ code }) => /^[a-z]+(?:-[a-z]+)*$/.test(code)) &&
    (reading.format !== 'error' || reading.problems.length > 0) &&
    (reading.format !== 'unknown' || reading.cards.length === 0)
  );
}

function checkReading(reading: GpuReading): void {
  expect(isSound(reading)).toBe(true);
}

describe('no input crashes a parser', () => {
  test('random text and bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 3000 }), fc.string({ maxLength: 3000 })),
        (text) => {
          checkReading(readOutput(text));
        },
      ),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
        checkReading(readOutput(new TextDecoder().decode(bytes)));
      }),
      { numRuns: 200 },
    );
  });

  test('text made of nvidia-smi’s own pieces', () => {
    const piece = fc.constantFrom(
      '|',
      '+',
      '-',
      '=',
      '\n',
      ' ',
      '  ',
      ',',
      ', ',
      ':',
      ' : ',
      '<',
      '>',
      '</',
      '/>',
      '<gpu id="0">',
      '</gpu>',
      '<nvidia_smi_log>',
      '</nvidia_smi_log>',
      '<process_info>',
      '<process_name>',
      '</process_name>',
      '<processes>',
      '<supported_clocks>',
      '&amp;',
      '&#999999999;',
      'GPU 0: X (UUID: GPU-1)',
      'GPU 00000000:01:00.0\n',
      '# gpu pid\n',
      'index, name\n',
      'gpu_uuid, pid\n',
      '| NVIDIA-SMI 5',
      '| Processes:',
      '| MIG devices:',
      '12MiB',
      'N/A',
      '[N/A]',
      'ERR!',
      '    Processes\n',
      '        Process ID : 3\n',
      'Link 0: ',
      'GPU0\tGPU1\n',
      '0',
      '1',
      '99999999999999999999',
      '=====NVSMI LOG=====\n',
      'FB Memory Usage\n',
      '\u001b[4m',
      '\u0000',
      '\r',
      '训练',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => checkReading(readOutput(pieces.join('')))),
      { numRuns: 600 },
    );
  });

  test('recorded outputs cut at any point: what was read before stays right', () => {
    fc.assert(
      fc.property(output, fc.double({ min: 0, max: 1, noNaN: true }), (text, share) => {
        const whole = readOutput(text);
        const cut = readOutput(text.slice(0, Math.floor(text.length * share)));
        checkReading(cut);
        expect(cut.cards.length).toBeLessThanOrEqual(Math.max(whole.cards.length, 1));
      }),
      { numRuns: 800 },
    );
  });

  test('small outputs cut at every single point', () => {
    for (const text of outputs.filter(({ length }) => length < 500))
      for (let end = 0; end <= text.length; end++)
        if (!isSound(readOutput(text.slice(0, end)))) expect.fail(text.slice(0, end));
  });

  test('recorded outputs with characters changed, lines lost, doubled and swapped', () => {
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      insert: fc.string({ maxLength: 4 }),
      drop: fc.nat(6),
    });
    fc.assert(
      fc.property(output, fc.array(change, { minLength: 1, maxLength: 30 }), (text, changes) => {
        let mutated = text;
        for (const { at, insert, drop } of changes) {
          const place = Math.floor(mutated.length * at);
          mutated = mutated.slice(0, place) + insert + mutated.slice(place + drop);
        }
        checkReading(readOutput(mutated));
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(output, fc.infiniteStream(fc.integer({ min: 0, max: 3 })), (text, choices) => {
        const lines = text.split('\n').flatMap((line) => {
          const choice = choices.next().value ?? 1;
          return choice === 0 ? [] : choice === 3 ? [line, line] : [line];
        });
        checkReading(readOutput(lines.join('\n')));
      }),
      { numRuns: 200 },
    );
  });

  test('any fields, any line of a stream', () => {
    const field = fc.oneof(
      fc.constantFrom(
        'index',
        'uuid',
        'name',
        'memory.total',
        'memory.used [MiB]',
        'pci.bus_id',
        'timestamp',
        'count',
      ),
      fc.string({ maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(field, { maxLength: 8 }), fc.string({ maxLength: 200 }), (fields, line) => {
        const row = gpuRowReader(fields)(line);
        if (row !== null) expect(isNumberOrNull(row.card.memoryTotalBytes, 0)).toBe(true);
        appRowReader(fields)(line);
      }),
      { numRuns: 500 },
    );
  });

  test('whatever a process is called, the CSV gives its name, pid and memory back', () => {
    const title = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
      .map((name) => `x${name.replace(/[\r\n]/g, ' ').trim()}`);
    fc.assert(
      fc.property(
        title,
        fc.integer({ min: 1, max: 4_194_304 }),
        fc.integer({ min: 0, max: 200_000 }),
        (name, pid, mib) => {
          const row = appRowReader(usualAppFields)(`GPU-1, ${pid}, ${name}, ${mib} MiB`);
          expect([row?.process.pid, row?.process.name, row?.process.usedBytes]).toEqual([
            pid,
            name,
            mib * 1024 * 1024,
          ]);
        },
      ),
    );
  });
});

/** A start, and a piece that is repeated after it until the text is long. */
const hostile: readonly (readonly [what: string, start: string, piece: string])[] = [
  ['open elements', '<nvidia_smi_log><gpu id="0">', '<a>'],
  ['wrong closing tags', '<nvidia_smi_log>', '<a></b>'],
  ['deep elements closed from outside', '<nvidia_smi_log>', '<a><b></a>'],
  ['unclosed names', '<nvidia_smi_log>', '<process_name>'],
  ['unclosed tags', '<nvidia_smi_log ', '<'],
  ['attributes', '<nvidia_smi_log>', '<gpu id="'],
  ['entities', '<nvidia_smi_log>', '&#'],
  ['bars', '| NVIDIA-SMI 5 |\n', '|'],
  ['short bars', '| NVIDIA-SMI 5 |\n', '|  0  x  \n'],
  ['blanks in a row of the table', '| NVIDIA-SMI 5 |\n| Processes: |\n|    0   N/A  N/A   1   C   ', '   '],
  ['banners', '', '| NVIDIA-SMI 5 |\n'],
  ['commas', 'index, name\n0', ','],
  ['blanks', 'index, name\n', ' '],
  ['header-like cells', 'index', ', a.b'],
  ['header lines', '', 'index, name\n'],
  ['nested text', '=====NVSMI LOG=====\nGPU 00000000:01:00.0\n', '  a :\n   b :\n'],
  ['logs', '', '=====NVSMI LOG=====\n'],
  ['device names', 'GPU0', '\tGPU1'],
  ['topology rows', 'GPU0 GPU1\n', 'GPU0 X NV1\n'],
  ['links', 'GPU 0: X (UUID: GPU-1)\n', 'Link 1: x\n'],
  ['MIG devices of a list', 'GPU 0: X (UUID: GPU-1)\n', 'MIG 1g.5gb Device 0:\n'],
  [
    'MIG rows',
    '| NVIDIA-SMI 5 |\n',
    '| 0 X Off | 00000000:01:00.0 Off | 0 |\n| MIG devices: |\n|  1 0 0 0 | 1MiB / 1MiB |\n',
  ],
  ['MIG instances', '| GPU instances: |\n', '| 0 MIG 1g.5gb 19 9 2:1 |\n'],
  ['brackets', 'GPU 0: ', 'x ('],
  ['processes of pmon', '# gpu pid command\n', '0 1 a\n'],
  ['failures in one line', 'Failed to initialize NVML: ', 'Unable to determine the device handle for '],
  ['failures', '', 'Unable to determine the device handle for GPU 0\n'],
  ['refusals', 'Unable to set ', 'gpu mode '],
  ['escape codes', '\u001b[4m', '\u001b['],
];

describe('long hostile input is read in one pass', () => {
  // 600,000 characters take milliseconds in one pass; a pass per line or per character would never come back.
  test.each(hostile)('%s', (_what, start, piece) => {
    checkReading(readOutput(start + piece.repeat(Math.ceil(600_000 / piece.length))));
  });
});
