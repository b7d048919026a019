/** How a snapshot may be packed, and what an unpacked one may weigh. */
import { message } from '../i18n/message';
import { GiB, MiB } from '../units';
import { isXz } from '../xz/xzDecoder';
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
