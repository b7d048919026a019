/** How a snapshot may be packed, what an unpacked one may weigh, and the unpacking of xz, which neither Node nor the window has. */
import { message } from '../i18n/message';
import { GiB, MiB } from '../units';
import { isXz, XzDataError, XzDecoder } from '../xz/xzDecoder';
import { SnapshotFileError } from './pickle/pickleError';

export type Packing = 'xz' | 'gzip' | 'zstd' | 'none';

/** So many bytes tell how a file is packed. */
export const packingStart = 6;

/** What the first bytes say; a snapshot itself is never taken for packed. */
export function packingOf(start: Uint8Array): Packing {
  if (isXz(start)) return 'xz';
  if (start[0] === 0x1f && start[1] === 0x8b) return 'gzip';
  if (start[0] === 0x28 && start[1] === 0xb5 && start[2] === 0x2f && start[3] === 0xfd) return 'zstd';
  return 'none';
}

const mostBytes = 8 * GiB;
/** Snapshots pack to a twentieth or a hundredth of their size; what packs better than this was made to fill a memory. */
const mostRatio = 1_500;
/** Below this a ratio says nothing. */
const harmlessBytes = 64 * MiB;

/** Watches what comes out of a packed file. */
export class UnpackingLimit {
  private unpackedBytes = 0;

  constructor(private readonly packedBytes: () => number) {}

  /** @throws {SnapshotFileError} when more came out than any snapshot has */
  add(bytes: number): void {
    this.unpackedBytes += bytes;
    const isTooMuch =
      this.unpackedBytes > harmlessBytes && this.unpackedBytes > mostRatio * this.packedBytes();
    if (isTooMuch || this.unpackedBytes > mostBytes)
      throw new SnapshotFileError(message('memorySnapshot.unpacksTooLarge', { bytes: this.unpackedBytes }));
  }
}

/**
 * What is in the bytes of an .xz file, as they come.
 * @throws {SnapshotFileError} for damaged data, or more than `limit` lets through
 */
export async function* unpackXz(
  source: AsyncIterable<Uint8Array>,
  limit: UnpackingLimit,
): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  const decoder = new XzDecoder((bytes) => {
    limit.add(bytes.length);
    ready.push(bytes);
  });
  try {
    for await (const packed of source) {
      decoder.push(packed);
      const pieces = ready;
      ready = [];
      yield* pieces;
    }
    decoder.finish();
  } catch (error) {
    if (error instanceof XzDataError) throw damagedPacking('xz', error.message);
    throw error;
  }
}

/** The packed data itself is damaged, in the words of what unpacked it. */
export const damagedPacking = (packing: Packing, reason: string): SnapshotFileError =>
  new SnapshotFileError(message('memorySnapshot.damagedPacking', { packing, reason }));
