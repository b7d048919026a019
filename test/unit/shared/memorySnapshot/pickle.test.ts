import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { translate } from '../../../../shared/i18n/translate';
import { SnapshotFileError } from '../../../../shared/memorySnapshot/pickle/pickleError';
import { SnapshotAnalysis } from '../../../../shared/memorySnapshot/report';
import { fixtures, fromBase64, plainValue, readSnapshot, snapshotBytes } from './support';

interface Pickles {
  readonly values: readonly { readonly name: string; readonly pickle: string; readonly value: unknown }[];
  readonly snapshots: readonly { readonly protocol: number; readonly pickle: string }[];
  readonly refused: readonly { readonly what: string; readonly named: string; readonly pickle: string }[];
}
/** What Python's own pickle wrote: test/ground-truth/pickles.py. */
const pickles = JSON.parse(readFileSync(path.join(fixtures, 'pickles.json'), 'utf8')) as Pickles;

/** The one line that a person reads where a file cannot be read; null: it can be. */
function refusal(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof SnapshotFileError) return translate('en', error.text);
    throw error;
  }
}

describe('plain values of every protocol', () => {
  test.each(pickles.values.map((item) => [item.name, item] as const))('%s', (_name, { pickle, value }) => {
    expect(plainValue(fromBase64(pickle))).toEqual(value);
    // Byte by byte: no opcode depends on where a piece ends.
    expect(plainValue(fromBase64(pickle), 1)).toEqual(value);
  });

  test.each([
    ['a set', '\x80\x04\x8f\x94(K\x01K\x02\x90.', [1, 2]],
    ['a frozen set', '\x80\x04(K\x01K\x02\x91.', [1, 2]],
    ['bytes', '\x80\x04C\x03\x00\xff\x7f.', '\x00\xff\x7f'],
    ['a byte array', '\x80\x05\x96\x02\0\0\0\0\0\0\0hi.', 'hi'],
    ['a duplicate', '](I1\n2e.', [1, 1]],
    ['a dict from the stack', "(S'a'\nI1\nd.", { a: 1 }],
    ['a value dropped', 'I1\nI2\n0.', 1],
    ['values dropped to a mark', 'I1\n(I2\nI3\n1.', 1],
  ])('%s', (_name, pickle, value) => {
    expect(plainValue(Buffer.from(pickle, 'latin1'))).toEqual(value);
  });
});

describe('a snapshot in every protocol', () => {
  test.each(pickles.snapshots.map(({ pickle, protocol }) => [protocol, pickle] as const))(
    'protocol %i',
    (_protocol, pickle) => {
      for (const piece of [1, 7, 1 << 20]) {
        const file = readSnapshot(fromBase64(pickle), piece);
        const [device] = new SnapshotAnalysis(file).report().devices;
        expect(file.traces.map(({ count }) => count)).toEqual([5, 0]);
        expect(file.segments[0]?.blocks).toHaveLength(2);
        expect(device?.peak.allocatedBytes).toBe(1024 + 512);
        expect(device?.end).toMatchObject({ allocatedBytes: 1024, reservedBytes: 2 * 2 ** 20 });
        expect(device?.peak.byStack[0]).toMatchObject({
          bytes: 1536,
          count: 2,
          frames: ['/home/user/model.py:12:forward', '/home/user/train.py:40:main'],
          line: '/home/user/model.py:12:forward',
        });
      }
    },
  );
});

describe('what is refused', () => {
  test.each(pickles.refused.map((item) => [item.what, item] as const))(
    '%s, by its name',
    (_what, { named, pickle }) => {
      for (const piece of [1, 1 << 20]) {
        const text = refusal(() => readSnapshot(fromBase64(pickle), piece));
        expect(text).toContain(named);
        expect(text).toContain('nothing of it was loaded');
        expect(text).not.toContain('\n');
      }
    },
  );

  test.each([
    ['a text', 'Traceback (most recent call last)', 'not a pickle'],
    ['a pickle of something else', '\x80\x04}\x94.', 'no memory snapshot'],
    ['a protocol of the future', '\x80\x06}.', 'protocol 6'],
    ['a file that was cut off', '\x80\x04}\x94(\x8c\x08segm', 'cut off'],
    ['a value from an empty stack', '\x80\x04a.', 'damaged'],
    ['a value that was never memoised', '\x80\x04h\x05.', 'damaged'],
    ['an item for what is no list', '\x80\x04}K\x01a.', 'damaged'],
    ['a key without a value', '\x80\x04}(K\x01u.', 'damaged'],
    ['a string longer than any', '\x80\x04X\xff\xff\xff\x7f', 'longer than any'],
    ['a memo of four billion places', '\x80\x04}r\xff\xff\xff\xff.', 'damaged'],
    ['marks without end', `\x80\x04${'('.repeat(2000)}`, 'nested more than'],
    ['a byte that is no opcode', '\x80\x04}\xff.', 'no opcode'],
  ])('%s', (_what, pickle, reason) => {
    expect(refusal(() => readSnapshot(Buffer.from(pickle, 'latin1')))).toContain(reason);
  });

  test('more memory than the limit, whatever takes it', () => {
    const limit = 2 ** 20;
    for (const filler of [')', ']\x94', '}\x94', 'K\x01', 'G\0\0\0\0\0\0\0\0'])
      expect(
        refusal(() => readSnapshot(Buffer.from(`]${filler.repeat(400_000)}`, 'latin1'), 65_536, limit)),
      ).toContain('more than 1 MiB');
    const texts = Array.from(
      { length: 60_000 },
      (_, index) => `\x8c\x06${String(index).padStart(6, '0')}`,
    ).join('');
    expect(refusal(() => readSnapshot(Buffer.from(`]${texts}`, 'latin1'), 65_536, limit))).toContain(
      'more than 1 MiB',
    );
  });
});

/** `HEADROOM_FUZZ_RUNS=10000 npm run test:unit -- test/unit/shared/memorySnapshot/pickle.test.ts` runs as many. */
const runs = Number(process.env['HEADROOM_FUZZ_RUNS'] ?? 300);

describe('damaged and hostile pickles', () => {
  const seeds = [...pickles.snapshots, ...pickles.values, ...pickles.refused].map(({ pickle }) =>
    fromBase64(pickle),
  );
  const real = snapshotBytes('oom').subarray(0, 60_000);
  const opcodes = fc.constantFrom(
    ...'(.02FIJKLMNSTUVX]adeghjlprst)uG}BCcoibR\x80\x81\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x90\x91\x93\x94\x95\x96',
  );
  const edits = fc.array(
    fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      byte: fc.oneof(fc.nat(255), opcodes),
      cut: fc.nat(20),
    }),
    { maxLength: 12 },
  );

  function mutate(
    source: Uint8Array,
    changes: readonly { at: number; byte: number | string; cut: number }[],
  ): Uint8Array {
    let bytes = Uint8Array.from(source);
    for (const { at, byte, cut } of changes) {
      const place = Math.floor(at * bytes.length);
      const code = typeof byte === 'number' ? byte : byte.charCodeAt(0);
      if (cut > 15) bytes = Uint8Array.from([...bytes.subarray(0, place), ...bytes.subarray(place + cut)]);
      else if (cut > 10)
        bytes = Uint8Array.from([...bytes.subarray(0, place), code, ...bytes.subarray(place)]);
      else bytes[place] = code;
    }
    return bytes;
  }

  /** Reads, and where that succeeds reports; anything but a clear refusal is a fault. */
  function survives(bytes: Uint8Array, piece: number): void {
    const text = refusal(() => new SnapshotAnalysis(readSnapshot(bytes, piece, 2 ** 24)).report());
    if (text !== null) expect(text.length).toBeLessThan(500);
  }

  test('changed ones end with an answer or one line', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...seeds, real),
        edits,
        fc.constantFrom(1000, 65_536),
        (source, changes, piece) => survives(mutate(source, changes), piece),
      ),
      { numRuns: runs },
    );
  });

  test('random ones end with an answer or one line', () => {
    const random = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc
        .array(fc.oneof(opcodes, fc.string({ maxLength: 3 })), { maxLength: 300 })
        .map((parts) => Buffer.from(parts.join(''), 'latin1')),
    );
    fc.assert(
      fc.property(random, (bytes) => survives(bytes, 64)),
      { numRuns: runs },
    );
  });
});
