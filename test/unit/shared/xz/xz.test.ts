import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { XzDataError, XzDecoder } from '../../../../shared/xz/xzDecoder';

interface Packed {
  readonly length: number;
  readonly sha256: string;
  readonly files: readonly { readonly name: string; readonly xz: string }[];
  readonly empty: string;
  readonly delta: string;
}
/** What liblzma wrote: test/ground-truth/pickles.py. */
const packed = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../../fixtures/memorySnapshots/xz.json'), 'utf8'),
) as Packed;
const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'base64');

function unpack(bytes: Uint8Array, pieceBytes: number): Uint8Array {
  const parts: Uint8Array[] = [];
  const decoder = new XzDecoder((part) => parts.push(part));
  for (let from = 0; from < bytes.length; from += pieceBytes)
    decoder.push(bytes.subarray(from, from + pieceBytes));
  decoder.finish();
  return Buffer.concat(parts);
}

describe('unpacks what xz packs', () => {
  test.each(packed.files.map(({ name, xz }) => [name, bytesOf(xz)] as const))('%s', (_name, bytes) => {
    for (const piece of [61, bytes.length]) {
      const data = unpack(bytes, piece);
      expect([data.length, createHash('sha256').update(data).digest('hex')]).toEqual([
        packed.length,
        packed.sha256,
      ]);
    }
  });

  test('nothing', () => expect(unpack(bytesOf(packed.empty), 5)).toHaveLength(0));
});

describe('refuses', () => {
  const [first] = packed.files;
  const whole = bytesOf(first?.xz ?? '');

  test('what was cut off', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length - 1 }), (length) => {
        expect(() => unpack(whole.subarray(0, length), 1000)).toThrow(XzDataError);
      }),
      { numRuns: 30 },
    );
  });

  test('any changed byte', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: whole.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, change) => {
          const damaged = Uint8Array.from(whole);
          damaged[at] = (damaged[at] ?? 0) ^ change;
          // The sizes in the index and the reserved halves of the flags are not compared with the blocks; all else is checked.
          try {
            expect(createHash('sha256').update(unpack(damaged, 4096)).digest('hex')).toBe(packed.sha256);
          } catch (error) {
            expect(error).toBeInstanceOf(XzDataError);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test('other filters, and what is not xz at all', () => {
    expect(() => unpack(bytesOf(packed.delta), 100)).toThrow('only the LZMA2 filter');
    expect(() => unpack(new Uint8Array(64), 64)).toThrow('no xz stream');
  });
});
