import { readFileSync } from 'node:fs';
import path from 'node:path';
import { MemoryBudget } from '../../../../shared/memorySnapshot/pickle/memoryBudget';
import { PickleReader, type PickledValue } from '../../../../shared/memorySnapshot/pickle/pickleReader';
import { PickleValues, tag } from '../../../../shared/memorySnapshot/pickle/values';
import { type SnapshotFile, SnapshotFileReader } from '../../../../shared/memorySnapshot/snapshotFile';
import { XzDecoder } from '../../../../shared/xz/xzDecoder';

export const fixtures = path.join(import.meta.dirname, '../../../fixtures/memorySnapshots');

/** The real snapshots of the fixtures. */
export const realNames = [
  'plain',
  'stacks-python',
  'no-context',
  'expandable-ragged',
  'leak-losses',
  'oom',
] as const;
export type RealName = (typeof realNames)[number];

export interface Truth {
  readonly peaks: readonly number[];
  readonly allocated_end: number;
  readonly reserved_end: number;
  readonly bytes: number;
  readonly entries: readonly number[];
}

export const truthOf = (name: RealName): Truth =>
  JSON.parse(readFileSync(path.join(fixtures, `${name}.json`), 'utf8')) as Truth;

export function unpackXz(packed: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  const decoder = new XzDecoder((bytes) => parts.push(bytes));
  decoder.push(packed);
  decoder.finish();
  return Buffer.concat(parts);
}

export const packedSnapshot = (name: RealName): Uint8Array =>
  readFileSync(path.join(fixtures, `${name}.pickle.xz`));

const unpackedOnce = new Map<RealName, Uint8Array>();
export function snapshotBytes(name: RealName): Uint8Array {
  const known = unpackedOnce.get(name) ?? unpackXz(packedSnapshot(name));
  unpackedOnce.set(name, known);
  return known;
}

export function readSnapshot(
  bytes: Uint8Array,
  pieceBytes = bytes.length,
  memoryBytes = 2 ** 28,
): SnapshotFile {
  const reader = new SnapshotFileReader({ memoryBytes });
  for (let from = 0; from < bytes.length; from += pieceBytes)
    reader.push(bytes.subarray(from, from + pieceBytes));
  return reader.finish();
}

export const fromBase64 = (text: string): Uint8Array => Buffer.from(text, 'base64');

/** A pickle as plain JavaScript: tuples and sets become lists, as in JSON. */
export function plainValue(bytes: Uint8Array, pieceBytes = bytes.length): unknown {
  const values = new PickleValues(new MemoryBudget(2 ** 26));
  const reader = new PickleReader(
    values,
    { take: () => -1, takeList: () => -1 },
    { stringBytes: 2 ** 20, depth: 1000 },
  );
  for (let from = 0; from < bytes.length; from += pieceBytes)
    reader.push(bytes.subarray(from, from + pieceBytes));
  return toPlain(values, reader.finish());
}

function toPlain(values: PickleValues, value: PickledValue): unknown {
  const { containers, strings } = values;
  switch (value.tag) {
    case tag.none:
      return null;
    case tag.boolean:
      return value.number === 1;
    case tag.integer:
    case tag.float:
      return value.number;
    case tag.string:
    case tag.bytes:
      return strings.text(value.number);
    default: {
      const items: unknown[] = [];
      containers.forEach(value.number, (place) =>
        items.push(
          toPlain(values, { tag: containers.items.tag(place), number: containers.items.number(place) }),
        ),
      );
      if (value.tag !== tag.dict) return items;
      return Object.fromEntries(
        items.flatMap((item, index) => (index % 2 === 0 ? [[String(item), items[index + 1]]] : [])),
      );
    }
  }
}
