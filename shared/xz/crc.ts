/** The checksums of the .xz format: CRC-32 (IEEE 802.3) and CRC-64 (ECMA-182), both reflected. */

const table32 = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** Goes on from `crc`, which is 0 at the beginning. */
export function crc32(bytes: Uint8Array, crc = 0): number {
  let value = ~crc;
  for (const byte of bytes) value = (value >>> 8) ^ (table32[(value ^ byte) & 0xff] ?? 0);
  return ~value >>> 0;
}

const polynomialHigh = 0xc96c5795;
const polynomialLow = 0xd7870f42;
const low64 = new Int32Array(256);
const high64 = new Int32Array(256);
for (let byte = 0; byte < 256; byte++) {
  let [high, low] = [0, byte];
  for (let bit = 0; bit < 8; bit++) {
    const isOdd = (low & 1) === 1;
    low = (low >>> 1) | (high << 31);
    high >>>= 1;
    if (isOdd) {
      high ^= polynomialHigh;
      low ^= polynomialLow;
    }
  }
  low64[byte] = low;
  high64[byte] = high;
}

/** A CRC-64 in two halves, as JavaScript computes with 32 bits at once. */
export class Crc64 {
  private low = -1;
  private high = -1;

  update(bytes: Uint8Array): void {
    let { high, low } = this;
    for (const byte of bytes) {
      const entry = (low ^ byte) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ (low64[entry] ?? 0);
      high = (high >>> 8) ^ (high64[entry] ?? 0);
    }
    this.low = low;
    this.high = high;
  }

  /** The checksum as the eight bytes of the file. */
  bytes(): Uint8Array {
    const view = new DataView(new ArrayBuffer(8));
    view.setInt32(0, ~this.low, true);
    view.setInt32(4, ~this.high, true);
    return new Uint8Array(view.buffer);
  }
}
