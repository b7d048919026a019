/** The bytes in a packed file: gzip and zstd through Node's zlib, xz through our own decoder. */
import { Readable, pipeline, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { message } from '../../shared/i18n/message';
import {
  damagedPacking,
  packingOf,
  packingStart,
  unpackXz,
  UnpackingLimit,
} from '../../shared/memorySnapshot/packing';
import { SnapshotFileError } from '../../shared/memorySnapshot/pickle/pickleError';

/**
 * What is in the bytes of a file, unpacked where they begin as a packed file does.
 * @throws {SnapshotFileError} for damaged data, too much of it, or a packing that this Node cannot read
 */
export async function* unpacked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let packedBytes = 0;
  const limit = new UnpackingLimit(() => packedBytes);
  const { rest, start } = await startOf(source);
  const counted = countedBytes(rest, (bytes) => (packedBytes += bytes));
  switch (packingOf(start)) {
    case 'none':
      return yield* counted;
    case 'xz':
      return yield* unpackXz(counted, limit);
    case 'gzip':
      return yield* throughZlib(counted, zlib.createGunzip(), limit);
    case 'zstd':
      return yield* throughZlib(counted, zstd(), limit);
  }
}

/** Node has zstd since 22.15; the types of older ones do not know it. */
function zstd(): Transform {
  const make: unknown = Reflect.get(zlib, 'createZstdDecompress');
  if (typeof make !== 'function') throw new SnapshotFileError(message('memorySnapshot.zstdUnknown'));
  const stream: unknown = Reflect.apply(make, zlib, []);
  if (!(stream instanceof Readable)) throw new SnapshotFileError(message('memorySnapshot.zstdUnknown'));
  // A Duplex is a Readable that Node's zlib makes a Transform of.
  return stream as Transform;
}

async function* countedBytes(
  source: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) {
    count(bytes.length);
    yield bytes;
  }
}

/** The first bytes of a source, and all of it again. */
async function startOf(
  source: AsyncIterable<Uint8Array>,
): Promise<{ readonly start: Uint8Array; readonly rest: AsyncIterable<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]();
  let start: Uint8Array = new Uint8Array(0);
  let isDone = false;
  while (start.length < packingStart && !isDone) {
    const next = await iterator.next();
    isDone = next.done === true;
    if (next.done !== true) start = Buffer.concat([start, next.value]);
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield start;
    if (!isDone) yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { start, rest: all() };
}

async function* throughZlib(
  source: AsyncIterable<Uint8Array>,
  unpacker: Transform,
  limit: UnpackingLimit,
): AsyncGenerator<Uint8Array> {
  const stream = pipeline(Readable.from(source), unpacker, () => {
    // What went wrong reaches the loop below, which reads the same stream.
  });
  try {
    for await (const bytes of stream) {
      if (!(bytes instanceof Uint8Array)) continue;
      limit.add(bytes.length);
      yield bytes;
    }
  } catch (error) {
    if (isZlibError(error)) throw damagedPacking('gzip', error.message);
    throw error;
  }
}

const isZlibError = (error: unknown): error is Error =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^Z_|^ZSTD_/.test(error.code);
