import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';
import type { Facts, Failure } from '../../../../shared/doctor/types';

const messages = [
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.17 GiB. GPU 1 has a total capacity of 23.67 GiB of which 1.59 GiB is free. Including non-PyTorch memory, this process has 22.06 GiB memory in use. Of the allocated memory 19.75 GiB is allocated by PyTorch, and 1.78 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.',
  'RuntimeError: CUDA out of memory. Tried to allocate 50.25 MiB (GPU 0; 6.00 GiB total capacity; 693.78 MiB already allocated; 3.91 GiB free; 18.22 MiB cached)',
  'RuntimeError: NPU out of memory. Tried to allocate 22.13 MiB (NPU 0; 60.97 GiB total capacity; 10.24 GiB already allocated; 10.24 GiB current active; 19.52 MiB free; 10.65 GiB reserved in total by PyTorch)',
] as const;

function first(text: string): Failure {
  const { failures, rootFailure } = diagnose(text);
  const failure = failures[rootFailure ?? 0];
  if (failure === undefined) throw new Error(`no failure in ${JSON.stringify(text)}`);
  return failure;
}

const expected: ReadonlyMap<string, Facts> = new Map(messages.map((text) => [text, first(text).facts]));

/** The console's habit: a line that is longer than the window goes on in the next one, wherever that cuts it. */
function wrapAt(width: number, line: string): string {
  const rows: string[] = [];
  for (let from = 0; from < line.length; from += width) rows.push(line.slice(from, from + width));
  return rows.join('\n');
}

function wrapWords(width: number, line: string): string {
  const rows: string[] = [];
  let row = '';
  for (const word of line.split(' ')) {
    if (row !== '' && row.length + 1 + word.length > width) {
      rows.push(row);
      row = word;
    } else row = row === '' ? word : `${row} ${word}`;
  }
  return [...rows, row].join('\n');
}

const message = fc.constantFrom(...messages);

describe('mangled messages are read like clean ones', () => {
  it('wrapped by a console at any width, in the middle of words and numbers', () => {
    fc.assert(
      fc.property(
        message,
        fc.integer({ min: 60, max: 180 }),
        fc.constantFrom('', '[rank3]: '),
        (text, width, prefix) => {
          // A second long line shows the reader where the console cuts.
          const log = `${wrapAt(width, `${prefix}${text}`)}\n${wrapAt(width, 'x'.repeat(3 * width))}\n`;
          const failure = first(log);
          expect(failure.facts).toEqual(expected.get(text));
          expect(failure.rank).toBe(prefix === '' ? null : 3);
        },
      ),
    );
  });

  it('wrapped at words, by a mail client or an issue form', () => {
    fc.assert(
      fc.property(message, fc.integer({ min: 30, max: 140 }), (text, width) => {
        expect(first(wrapWords(width, text)).facts).toEqual(expected.get(text));
      }),
    );
  });

  const escape = '\u001b';
  it.each([
    ['Windows line ends', (text: string) => `step 1\r\n${text}\r\nstep 2\r\n`],
    [
      'colours',
      (text: string) => `${escape}[1;31m${text.replace('memory', `${escape}[0mmemory`)}${escape}[0m`,
    ],
    ['colours without their escape character', (text: string) => `[36m(TrainWorker pid=4009)[0m ${text}`],
    ['a torchrun prefix', (text: string) => `[rank3]: ${text}`],
    ['an elastic prefix', (text: string) => `[default3]:${text}`],
    ['a Ray prefix', (text: string) => `(RayWorkerWrapper pid=4009, ip=192.0.2.4) ${text}`],
    ['a repeat count of Ray', (text: string) => `(W pid=1) ${text} [repeated 6x across cluster]`],
    ['the prefix of a GUI', (text: string) => `SUBPROCESS: ${text}`],
    ['a progress bar before it on the line', (text: string) => ` 63% 34/54 [00:42<00:25,  1.26s/it]${text}`],
    ['a progress bar that redraws', (text: string) => `\r 1%|  | 1/9\r 2%|  | 2/9\r${text}\r 3%|  | 3/9`],
    ['a rich box', (text: string) => `╭───────╮\n│ File "train.py", line 3 │\n╰───────╯\n${text}`],
    ['a rich box around it', (text: string) => `│ ${wrapWords(90, text).split('\n').join(' │\n│ ')} │`],
    ['Markdown', (text: string) => `> **${text.replace('CUDA', '`CUDA`')}**`],
    ['line ends spelled out', (text: string) => `"error": "${wrapWords(60, text).split('\n').join('\\n')}"`],
    [
      'a logger before it',
      (text: string) => `2024-05-11 02:24:26,980 - es_kb_service.py[line:147] - ERROR: ${text}`,
    ],
    ['a byte-order mark and no-break spaces', (text: string) => `\ufeff${text.replaceAll(' ', '\u00a0')}`],
    ['Chinese around it', (text: string) => `报错如下：\n${text}\n请问怎么解决？`],
    ['a hundred times itself', (text: string) => Array.from({ length: 100 }, () => text).join('\n')],
  ])('with %s', (_what, mangle) => {
    for (const text of messages) expect(first(mangle(text)).facts).toEqual(expected.get(text));
  });

  it('counts what is printed again', () => {
    const [text] = messages;
    expect(first(`${text}\n${text}\n${text}`).occurrences).toBe(3);
    expect(first(`(W pid=1) ${text} [repeated 6x across cluster]`).occurrences).toBe(6);
  });

  it('tells interleaved ranks apart', () => {
    const halves = messages.slice(0, 2).map((text) => wrapWords(70, text).split('\n'));
    const lines = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((row) =>
      halves.flatMap((own, rank) => (own[row] === undefined ? [] : [`[rank${rank}]: ${own[row]}`])),
    );
    const { failures } = diagnose(lines.join('\n'));
    expect(failures.map(({ rank }) => rank)).toEqual([0, 1]);
    expect(failures.map(({ facts }) => facts)).toEqual([
      expected.get(messages[0]),
      expected.get(messages[1]),
    ]);
  });
});
