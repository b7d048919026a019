import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statesError, talksOfIt } from '../../../../shared/doctor/events/statement';
import { AnchorSearch } from '../../../../shared/doctor/lines/anchors';
import { encodeUtf8 } from '../../../../shared/doctor/lines/utf8';
import { cleanLine } from '../../../../shared/doctor/lines/clean';
import { guessEncoding } from '../../../../shared/textEncoding';
import { readLines } from '../../../../shared/doctor/lines/lines';
import { readPrefix } from '../../../../shared/doctor/lines/prefix';
import { readSize } from '../../../../shared/doctor/lines/sizes';
import { readSmiRows } from '../../../../shared/doctor/lines/smiRows';
import { readTime } from '../../../../shared/doctor/lines/times';
import { separateWriters } from '../../../../shared/doctor/lines/writers';

const escape = '\u001b';

describe('cleanLine', () => {
  it.each([
    [`${escape}[1;31mred${escape}[0m`, 'red'],
    [`${escape}]0;title\u0007text`, 'text'],
    ['[36m(RayWorker pid=4009)[0m text', '(RayWorker pid=4009) text'],
    ['\\x1b[31mspelled\\x1b[0m', 'spelled'],
    ['took [10m 5s] and [5m]', 'took [10m 5s] and [5m]'],
    ['**bold** words', 'bold words'],
    ['│ File "a.py"      │', 'File "a.py"'],
    ['GPU \u0002 has', 'GPU \u0002 has'],
    ['plain line', 'plain line'],
  ])('%j becomes %j', (raw, clean) => {
    expect(cleanLine(raw)).toBe(clean);
  });
});

describe('readPrefix', () => {
  it.each([
    ['[rank3]: Traceback', 'Traceback', 3],
    ['[default11]:step', 'step', 11],
    ['[trainer0|7]:step', 'step', 7],
    ['[1,5]<stderr>:step', 'step', 5],
    ['(VllmWorker rank=1 pid=2978) ERROR', 'ERROR', 1],
    ['(Worker_TP3 pid=2978) ERROR', 'ERROR', 3],
    ['(RayWorkerWrapper pid=4009) [rank1]:[E Process', '[E Process', 1],
    ['[1] 2019-06-13 01:17:08 text', 'text', 1],
    ['[80746] [rank0]:[E321', '[80746] [rank0]:[E321', null],
    ['SUBPROCESS: RuntimeError', 'RuntimeError', null],
    ['> quoted', 'quoted', null],
    ['2024-05-01T00:00:00.000000Z stderr F text', 'text', null],
    ['Epoch 0: text', 'Epoch 0: text', null],
  ])('%j', (line, text, rank) => {
    expect(readPrefix(line, null)).toMatchObject({ text, rank });
  });

  it('takes srun’s labels off where most lines have them, and leaves the numbers of grep', () => {
    const labelled = ['0: a', '1: a', '0: b', '1: b', '0: c', '1: c'].join('\n');
    expect(readLines(labelled, 1).map(({ rank }) => rank)).toEqual([0, 1, 0, 1, 0, 1]);
    const numbered = ['10: a', '11: b', '12: c', '13: d'].join('\n');
    expect(readLines(numbered, 1).map(({ rank }) => rank)).toEqual([null, null, null, null]);
  });
});

describe('readLines', () => {
  it('keeps the numbers of the lines through redraws and spelled-out line ends', () => {
    const lines = readLines('a\rb\nc\\nd\n 3%|#| 9/352 [40:55<25:10][rank1]: Trace', 10);
    expect(lines.map(({ number, text, rank }) => [number, text, rank])).toEqual([
      [10, 'a', null],
      [10, 'b', null],
      [11, 'c', null],
      [11, 'd', null],
      [12, ' 3%|#| 9/352 [40:55<25:10]', null],
      [12, 'Trace', 1],
    ]);
  });

  it('does not take a Windows path for line ends', () => {
    expect(readLines('D:\\new\\numbers.py is here', 1).map(({ text }) => text)).toEqual([
      'D:\\new\\numbers.py is here',
    ]);
  });

  it('gives the rest of a wrapped line to the rank that wrote it', () => {
    const width = 80;
    const long = `[rank1]: ${'x'.repeat(200)}`;
    const rows = [long.slice(0, width), long.slice(width, 2 * width), long.slice(2 * width)];
    expect(readLines(rows.join('\n'), 1).map(({ rank }) => rank)).toEqual([1, 1, 1]);
  });
});

describe('separateWriters', () => {
  it('takes all whitespace out, but never joins two numbers', () => {
    const [writer] = separateWriters(readLines('a total of 8 9\n10 GiB', 1));
    expect(writer?.compact).toBe('atotalof8 9 10GiB');
    expect(writer?.starts).toEqual([0, 12]);
  });
});

describe('readTime', () => {
  it.each([
    ['2026-04-22 21:34:20.5 text', 'date', 1_776_893_660.5],
    ['[rank0]:[E321 02:07:08.250000000 Process', 'month-day', (59 + 21) * 86_400 + 2 * 3600 + 7 * 60 + 8.25],
    ['ERROR 06-09 06:57:48 [file.py:1]', 'month-day', (151 + 9) * 86_400 + 6 * 3600 + 57 * 60 + 48],
    ['[74889.542031] pcieport', 'uptime', 74_889.542031],
  ])('%j', (line, clock, seconds) => {
    expect(readTime(line)).toEqual({ clock, seconds });
  });

  it('is unknown where there is none', () => {
    expect(readTime('step 12:30 loss 2.1')).toBeNull();
  });
});

describe('guessEncoding', () => {
  const utf16 = (text: string, bigEndian: boolean): Uint8Array =>
    Uint8Array.from(
      [...text].flatMap((character) => {
        const code = character.charCodeAt(0);
        return bigEndian ? [code >> 8, code & 255] : [code & 255, code >> 8];
      }),
    );

  it.each([
    [Uint8Array.of(0xef, 0xbb, 0xbf, 65), 'utf-8', 3],
    [Uint8Array.of(0xff, 0xfe, 65, 0), 'utf-16le', 2],
    [Uint8Array.of(0xfe, 0xff, 0, 65), 'utf-16be', 2],
    [utf16('RuntimeError: 显存不足, out of memory', false), 'utf-16le', 0],
    [utf16('RuntimeError: 显存不足, out of memory', true), 'utf-16be', 0],
    [new TextEncoder().encode('RuntimeError: 显存不足'), 'utf-8', 0],
    [Uint8Array.of(0, 0, 0, 0, 0, 0), 'utf-8', 0],
    [new Uint8Array(0), 'utf-8', 0],
  ] as const)('%s is %s', (bytes, encoding, markBytes) => {
    expect(guessEncoding(bytes)).toEqual({ encoding, markBytes });
  });
});

describe('readSize', () => {
  it.each([
    ['2.00GiB', 2_147_483_648],
    ['1.86 GiB', 1_997_159_793],
    ['512bytes', 512],
    ['0bytes', 0],
    ['14.75G', 15_837_691_904],
    ['7.782776GB', 8_356_692_098],
    ['17179869184.00GiB', null],
    ['12', 12],
    ['GiB', null],
  ])('%s is %s', (text, bytes) => {
    expect(readSize(text)).toBe(bytes);
  });
});

describe('AnchorSearch', () => {
  const anchors = ['out of memory', 'killed', 'memory of', 'watchdog caught'];
  const search = new AnchorSearch(anchors);
  const found = (text: string): string[] => {
    const all: string[] = [];
    const bytes = encodeUtf8(text);
    search.search(bytes, 0, bytes.length, (offset, anchor) => {
      all.push(`${anchors[anchor]}@${offset}`);
      return offset;
    });
    return all;
  };

  it('finds what indexOf finds, in any text', () => {
    const part = fc.oneof(
      fc.constantFrom(...anchors, 'OUT OF MEMORY', 'Killed', ' '),
      fc.string({ maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
        const expected = anchors.flatMap((anchor) => {
          const places: string[] = [];
          for (let at = lower.indexOf(anchor); at >= 0; at = lower.indexOf(anchor, at + 1))
            places.push(`${anchor}@${at}`);
          return places;
        });
        expect(found(text).sort()).toEqual(expected.sort());
      }),
    );
  });

  it('refuses anchors that are too short to skip by', () => {
    expect(() => new AnchorSearch(['oom'])).toThrow(RangeError);
  });
});

describe('statesError', () => {
  const phrase = /CUDA out of memory/;
  it.each([
    ['RuntimeError: CUDA out of memory. Tried to allocate', true],
    ['CUDA out of memory', true],
    ['Training failed: CUDA out of memory.', true],
    ['2024 | ERROR | trainer:wrapper:121 - CUDA out of memory.', true],
    ['训练失败：CUDA out of memory', true],
    ['INFO: CUDA out of memory handler installed', false],
    ['raise RuntimeError("CUDA out of memory")', false],
    ['# CUDA out of memory', false],
    ['to avoid CUDA out of memory.', false],
    ['if "CUDA out of memory" in str(error):', false],
  ])('%j: %s', (line, states) => {
    expect(statesError(line, phrase)).toBe(states);
  });

  it.each([
    ['exit code 137 means that it was killed', 'exit code 137', true],
    ['if it ends with exit code 137', 'exit code 137', true],
    ['    except MemoryError:', 'MemoryError', true],
    ['# worker exited with code 137', 'exited', true],
    ['no container was OOMKilled today', 'OOMKilled', true],
    ['worker exited with code 137', 'exited', false],
    ['  Reason: OOMKilled', 'OOMKilled', false],
  ])('knows talk from a report: %j', (line, found, talk) => {
    expect(talksOfIt(line, line.slice(0, line.indexOf(found)))).toBe(talk);
  });
});

describe('readSmiRows', () => {
  it('reads rows of old and new tables, without their heads', () => {
    const text = [
      '|    0   N/A  N/A   2695172      C   [xarexec] ./dlrm.par      26167MiB |',
      '|    1      4102    C+G   python                          518MiB |',
      '|   3   17   0    4102      C   python                          518MiB |',
      '| 31%   41C    P8    33W / 250W |    730MiB / 10989MiB |      0%      Default |',
    ].join('\n');
    expect(readSmiRows(readLines(text, 1)).map(({ gpuIndex, pid, bytes }) => [gpuIndex, pid, bytes])).toEqual(
      [
        [0, 2_695_172, 26_167 * 1024 ** 2],
        [1, 4_102, 518 * 1024 ** 2],
        [3, 4_102, 518 * 1024 ** 2],
      ],
    );
  });
});
