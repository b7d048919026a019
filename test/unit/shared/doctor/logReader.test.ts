import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../../../shared/doctor/lines/utf8';
import { diagnose, LogReader } from '../../../../shared/doctor/reader';
import type { Diagnosis } from '../../../../shared/doctor/types';

const oom =
  '[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 336.00 MiB. GPU 2 has a total capacity of 79.15 GiB of which 141.25 MiB is free. Of the allocated memory 77.21 GiB is allocated by PyTorch, and 283.51 MiB is reserved by PyTorch but unallocated.\n';
const step = (index: number): string =>
  `[rank${index % 8}]: step ${index} loss 2.${index % 977} memory allocated 12.3 GiB reserved 14 GiB\n`;

function lines(from: number, to: number): string {
  let text = '';
  for (let index = from; index < to; index += 1) text += step(index);
  return text;
}

function readInParts(whole: string, cuts: readonly number[]): Diagnosis {
  const reader = new LogReader();
  const text = encodeUtf8(whole);
  let from = 0;
  for (const cut of [
    ...cuts.map((share) => Math.floor(share * text.length)).sort((a, b) => a - b),
    text.length,
  ]) {
    reader.push(text.slice(from, cut));
    from = Math.max(from, cut);
  }
  return reader.finish();
}

/** How many bytes the reader holds back; the promise of bounded memory is about this. */
function heldBytes(reader: LogReader): number {
  return Object.values(reader).reduce<number>(
    (sum, value) => sum + (value instanceof Uint8Array ? value.length : 0),
    0,
  );
}

describe('reading a large log', () => {
  const long = `${lines(0, 6_000)}${oom}${lines(6_000, 9_000)}`;

  it('finds the one failure among many lines, with its line and rank', () => {
    const { failures, rootFailure, lines: count } = diagnose(long);
    expect(failures).toHaveLength(1);
    expect(rootFailure).toBe(0);
    expect(failures[0]).toMatchObject({ line: 6_001, rank: 2, format: 'P7-expandable', occurrences: 1 });
    expect(count).toBe(9_001);
  });

  it('answers the same however the text is cut into parts', () => {
    const whole = diagnose(long);
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 }), (cuts) => {
        expect(readInParts(long, cuts)).toEqual(whole);
      }),
      { numRuns: 40 },
    );
  });

  it('answers the same for a short text in single characters', () => {
    const reader = new LogReader();
    for (const character of oom) reader.push(encodeUtf8(character));
    expect(reader.finish()).toEqual(diagnose(oom));
  });

  it('holds a bounded part of the text, with lines, with one endless line, and with failures all over', () => {
    const parts = [
      (index: number) => lines(index * 1000, index * 1000 + 1000),
      (index: number) => `\r${lines(index, index + 1000).replaceAll('\n', '\r')}`,
      () => oom.repeat(300),
    ];
    for (const part of parts) {
      const reader = new LogReader();
      let most = 0;
      for (let index = 0; index < 60; index += 1) {
        reader.push(encodeUtf8(part(index)));
        most = Math.max(most, heldBytes(reader));
      }
      expect(most).toBeLessThan(300_000);
      expect(reader.finish().failures.length).toBeLessThanOrEqual(1);
    }
  });

  it('finds the first and the last of failures that stand far apart', () => {
    const other = oom.replaceAll('rank2', 'rank5').replace('GPU 2', 'GPU 5');
    const { failures, rootFailure } = diagnose(
      `${lines(0, 3000)}${oom}${lines(0, 3000)}${other}${lines(0, 3000)}`,
    );
    expect(failures.map(({ line, rank }) => ({ line, rank }))).toEqual([
      { line: 3_001, rank: 2 },
      { line: 6_002, rank: 5 },
    ]);
    expect(rootFailure).toBe(0);
  });

  it('counts a warning that floods the log instead of reading each', () => {
    const flood = Array.from(
      { length: 20_000 },
      (_all, index) =>
        `WARNING: OOM: Ran out of memory with exception: CUDA out of memory. Tried to allocate ${index}.16 GiB (GPU 3; 39.59 GiB total capacity; 30.44 GiB already allocated; 512.19 MiB free; 33.38 GiB reserved in total by PyTorch)\n`,
    ).join('');
    const { failures, rootFailure } = diagnose(`${lines(0, 2000)}${flood}`);
    expect(rootFailure).toBe(0);
    expect(failures[0]?.line).toBe(2_001);
    expect(failures.length).toBeLessThan(400);
  });

  it('finds a traceback that the text’s end cuts off, at the end of a large log too', () => {
    const cut =
      'Traceback (most recent call last):\n  File "train.py", line 4, in main\n    optimizer.step()\n';
    const { failures } = diagnose(`${lines(0, 4000)}${cut}`);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatchObject({ format: 'traceback-cut', line: 4_003 });
    expect(failures[0]?.causes[0]).toMatchObject({ cause: 'optimizer_step_peak', confidence: 0.36 });
    expect(failures[0]?.missing[0]?.key).toBe('doctorMissing.lastLine');
  });

  it('says nothing of an empty text', () => {
    expect(diagnose('')).toEqual({ failures: [], rootFailure: null, lines: 0 });
    expect(diagnose('one line').lines).toBe(1);
    expect(diagnose('one line\n').lines).toBe(1);
  });
});
