/**
 * Reads .xz files as their bytes come, in plain JavaScript: the window's content security policy allows no WebAssembly, which
 * every maintained decoder needs. The format: https://tukaani.org/xz/xz-file-format.txt. Filters other than LZMA2 (for machine
 * code, deltas) are refused: nobody packs a snapshot or a log with them.
 */
import { MiB } from '../units';
import { crc32, Crc64 } from './crc';
import { Lzma2Decoder, XzDataError } from './lzma2';

export { XzDataError } from './lzma2';

/** What `xz -9` uses; a larger window is for nobody's snapshots. */
const largestWindow = 64 * MiB;
const magic = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00];
const lzma2Filter = 0x21;
/** The size of a block's check by its kind. */
const checkSizes = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

/** Whether bytes begin as an .xz file does. */
export const isXz = (start: Uint8Array): boolean => magic.every((byte, index) => start[index] === byte);

type Part = 'stream-header' | 'block' | 'chunk' | 'check' | 'index' | 'footer';

/** Decodes one .xz file; `onbytes` gets what is in it, in order. */
export class XzDecoder {
  private held: Uint8Array = new Uint8Array(0);
  private at = 0;
  private part: Part = 'stream-header';
  private checkKind = 0;
  private lzma: Lzma2Decoder | null = null;
  private blockBytes = 0;
  private packedInBlock = 0;
  private check32 = 0;
  private check64 = new Crc64();
  private streams = 0;

  constructor(private readonly onbytes: (bytes: Uint8Array) => void) {}

  /** @throws {XzDataError} for damaged data, and what this decoder does not read */
  push(bytes: Uint8Array): void {
    const rest = this.held.length - this.at;
    const joined = rest === 0 ? bytes : new Uint8Array(rest + bytes.length);
    if (rest > 0) {
      joined.set(this.held.subarray(this.at));
      joined.set(bytes, rest);
    }
    this.held = joined;
    this.at = 0;
    while (this.step());
  }

  /** @throws {XzDataError} where the file ends too early */
  finish(): void {
    if (this.part !== 'stream-header' || this.streams === 0) throw new XzDataError('the file was cut off');
  }

  private peek(offset: number): number {
    return this.held[this.at + offset] ?? 0;
  }

  private has(count: number): boolean {
    return this.held.length - this.at >= count;
  }

  private take(count: number): Uint8Array {
    this.at += count;
    return this.held.subarray(this.at - count, this.at);
  }

  private step(): boolean {
    switch (this.part) {
      case 'stream-header':
        return this.streamHeader();
      case 'block':
        return this.blockHeader();
      case 'chunk':
        return this.chunk();
      case 'check':
        return this.check();
      case 'index':
        return this.index();
      case 'footer':
        return this.footer();
    }
  }

  private streamHeader(): boolean {
    // Streams may be padded with zeros, four at a time.
    while (this.streams > 0 && this.has(4) && this.peek(0) === 0) this.take(4);
    if (!this.has(12)) return false;
    const header = this.take(12);
    if (!isXz(header) || crc32(header.subarray(6, 8)) !== uint32(header, 8))
      throw new XzDataError('no xz stream');
    this.checkKind = (header[7] ?? 0) & 0x0f;
    this.part = 'block';
    return true;
  }

  private blockHeader(): boolean {
    if (!this.has(1)) return false;
    if (this.peek(0) === 0) {
      this.part = 'index';
      return true;
    }
    const size = (this.peek(0) + 1) * 4;
    if (!this.has(size)) return false;
    const header = this.take(size);
    if (crc32(header.subarray(0, size - 4)) !== uint32(header, size - 4))
      throw new XzDataError('block header');
    const flags = header[1] ?? 0;
    let place = 2;
    const skipNumber = (): void => {
      while (((header[place++] ?? 0) & 0x80) !== 0);
    };
    if (flags & 0x40) skipNumber();
    if (flags & 0x80) skipNumber();
    if ((flags & 3) !== 0 || header[place] !== lzma2Filter)
      throw new XzDataError('only the LZMA2 filter is read');
    const windowBytes = windowOf(header[place + 2] ?? 0);
    this.lzma = new Lzma2Decoder(windowBytes);
    this.blockBytes = 0;
    this.packedInBlock = size;
    this.check32 = 0;
    this.check64 = new Crc64();
    this.part = 'chunk';
    return true;
  }

  private chunk(): boolean {
    if (this.lzma === null || !this.has(1)) return false;
    const control = this.peek(0);
    if (control === 0) {
      this.take(1);
      this.packedInBlock++;
      this.part = 'check';
      return true;
    }
    const hasProperties = control >= 0xc0;
    const headSize = control < 0x80 ? 3 : hasProperties ? 6 : 5;
    if (!this.has(headSize)) return false;
    const low = this.peek(1) * 256 + this.peek(2) + 1;
    const packed = control < 0x80 ? low : this.peek(3) * 256 + this.peek(4) + 1;
    if (!this.has(headSize + packed)) return false;
    const properties = hasProperties ? this.peek(5) : null;
    this.take(headSize);
    const bytes = this.take(packed);
    this.packedInBlock += headSize + packed;
    this.lzma.begin(control);
    this.emit(
      control < 0x80
        ? this.lzma.stored(bytes)
        : this.lzma.decode(control, properties, bytes, ((control & 0x1f) << 16) + low),
    );
    return true;
  }

  private emit(bytes: Uint8Array): void {
    this.blockBytes += bytes.length;
    if (this.checkKind === 1) this.check32 = crc32(bytes, this.check32);
    if (this.checkKind === 4) this.check64.update(bytes);
    this.onbytes(bytes);
  }

  private check(): boolean {
    const padding = (4 - (this.packedInBlock % 4)) % 4;
    const size = checkSizes[this.checkKind] ?? 0;
    if (!this.has(padding + size)) return false;
    this.take(padding);
    const stored = this.take(size);
    const isRight =
      this.checkKind === 1
        ? uint32(stored, 0) === this.check32
        : this.checkKind !== 4 || this.check64.bytes().every((byte, index) => byte === stored[index]);
    if (!isRight) throw new XzDataError('checksum');
    this.lzma = null;
    this.part = 'block';
    return true;
  }

  /** The list of blocks: only passed over. */
  private index(): boolean {
    let place = 1;
    const number = (): number | null => {
      let value = 0;
      for (let shift = 0; shift < 63; shift += 7) {
        if (!this.has(place + 1)) return null;
        const byte = this.peek(place++);
        value += (byte & 0x7f) * 2 ** shift;
        if ((byte & 0x80) === 0) return value;
      }
      throw new XzDataError('index');
    };
    const records = number();
    if (records === null) return false;
    for (let record = 0; record < 2 * records; record++) if (number() === null) return false;
    const size = Math.ceil(place / 4) * 4 + 4;
    if (!this.has(size)) return false;
    const bytes = this.take(size);
    if (crc32(bytes.subarray(0, size - 4)) !== uint32(bytes, size - 4)) throw new XzDataError('index');
    this.part = 'footer';
    return true;
  }

  private footer(): boolean {
    if (!this.has(12)) return false;
    const footer = this.take(12);
    if (footer[10] !== 0x59 || footer[11] !== 0x5a || crc32(footer.subarray(4, 10)) !== uint32(footer, 0))
      throw new XzDataError('stream footer');
    this.streams++;
    this.part = 'stream-header';
    return true;
  }
}

const uint32 = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] ?? 0) |
    ((bytes[at + 1] ?? 0) << 8) |
    ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24)) >>>
  0;

function windowOf(code: number): number {
  const bytes = (2 | (code & 1)) * 2 ** ((code >> 1) + 11);
  if (code > 40 || bytes > largestWindow)
    throw new XzDataError('the dictionary is larger than any that xz makes by default');
  return bytes;
}
