import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';
import { grammars } from '../../../../shared/doctor/grammars';
import { carriedCases, reportedTexts } from './recorded';

const texts = [...carriedCases(), ...reportedTexts()].map(({ raw }) => raw);
const anchors = grammars.flatMap((grammar) => grammar.anchors);

/** Pieces of real messages, torn apart and put together again with all that a terminal can leave in between. */
const piece = fc.oneof(
  fc.constantFrom(...anchors),
  fc
    .constantFrom(...texts)
    .chain((text) =>
      fc
        .tuple(fc.nat({ max: text.length }), fc.nat({ max: 200 }))
        .map(([from, length]) => text.slice(from, from + length)),
    ),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '\r',
    '\n',
    '\\n',
    '\u001b[31m',
    '\u0000',
    '│',
    ' ',
    '17179869184.00 GiB',
    '99999999999999999999999 GiB',
    '-9',
    '[rank3]:',
    '(W pid=1)',
    '[',
    '(',
  ),
);

describe('any text', () => {
  it('is read without a crash, and all that is said of it is sound', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('');
        const { failures, rootFailure, lines } = diagnose(text);
        expect(rootFailure === null).toBe(failures.length === 0);
        for (const failure of failures) {
          expect(failure.line).toBeGreaterThanOrEqual(1);
          expect(failure.line).toBeLessThanOrEqual(lines);
          expect(failure.occurrences).toBeGreaterThanOrEqual(1);
          for (const value of Object.values(failure.facts))
            if (typeof value === 'number') expect(Number.isSafeInteger(value)).toBe(true);
          const confidences = failure.causes.map(({ confidence }) => confidence);
          expect(confidences).toEqual([...confidences].sort((a, b) => b - a));
          expect(new Set(failure.causes.map(({ cause }) => cause)).size).toBe(failure.causes.length);
          expect(() => JSON.stringify(failure)).not.toThrow();
        }
      }),
      { numRuns: 400 },
    );
  });

  /** Half a megabyte each: work that grew with the square of the length would not end before the test's own limit. */
  it.each([
    ['an unending size', (length: number) => `Tried to allocate ${'9'.repeat(length)}`],
    ['brackets', (length: number) => `CUDA out of memory. ${'['.repeat(length)}`],
    ['spaces', (length: number) => `CUDA out of memory.${' '.repeat(length)}Tried`],
    ['heads without tails', (length: number) => 'CUDA out of memory. Tried to allocate '.repeat(length / 40)],
    [
      'open processes',
      (length: number) =>
        `GPU 0 has a total capacity of 8.00 GiB of which 0 bytes is free. ${'Process 1 has 1.00 MiB memory in use. '.repeat(length / 40)}`,
    ],
    [
      'percent signs',
      (length: number) => `${'1% '.repeat(length / 3)}\nRuntimeError: CUDA error: out of memory`,
    ],
    ['escape characters', (length: number) => `${'\u001b]'.repeat(length / 2)}CUDA out of memory`],
    ['box characters', (length: number) => `│${'─'.repeat(length)}│\nCUDA out of memory`],
    ['backslashes', (length: number) => `${'C:\\n'.repeat(length / 4)} CUDA out of memory`],
    ['rank prefixes', (length: number) => `${'[rank1]: '.repeat(length / 9)} CUDA out of memory`],
    [
      'frames',
      (length: number) =>
        `${'  File "a.py", line 1, in f\n'.repeat(length / 28)}RuntimeError: CUDA error: out of memory`,
    ],
    ['word characters', (length: number) => `${'a'.repeat(length)}\nRuntimeError: CUDA error: out of memory`],
    [
      'numbers and slashes',
      (length: number) => `${'1/2 '.repeat(length / 4)}\nRuntimeError: CUDA error: out of memory`,
    ],
  ])('is read to its end, however long: %s', (_what, make) => {
    const text = make(500_000);
    expect(diagnose(text).lines).toBe(text.split('\n').length);
  });
});
