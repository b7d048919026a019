import { deflateSync } from 'node:zlib';

/**
 * Pixels of a screen, three bytes each, rows from the top.
 *
 * @typedef {{ width: number, height: number, rgb: Buffer }} Picture
 */

/**
 * Reads an X window dump as Xvfb keeps it: a header of big-endian words, a colour table, then 32-bit pixels.
 * The layout is in X11's XWDFile.h.
 *
 * @param {Buffer} dump
 * @param {number} [step] reads only every so many rows and columns: enough to see whether something is there
 * @returns {Picture}
 * @throws {RangeError} when it is no dump of 32-bit pixels
 */
export function readWindowDump(dump, step = 1) {
  const word = (/** @type {number} */ index) => dump.readUInt32BE(index * 4);
  const [headerSize, version, fullWidth, fullHeight] = [word(0), word(1), word(4), word(5)];
  const [isBigEndian, bitsPerPixel, bytesPerLine, colours] = [word(7) === 1, word(11), word(12), word(19)];
  if (version !== 7 || bitsPerPixel !== 32) throw new RangeError('not a window dump with 32-bit pixels');
  const start = headerSize + colours * 12;
  const [width, height] = [Math.ceil(fullWidth / step), Math.ceil(fullHeight / step)];
  const rgb = Buffer.alloc(width * height * 3);
  let target = 0;
  for (let y = 0; y < fullHeight; y += step) {
    for (let x = 0; x < fullWidth; x += step) {
      const at = start + y * bytesPerLine + x * 4;
      const pixel = isBigEndian ? dump.readUInt32BE(at) : dump.readUInt32LE(at);
      rgb[target++] = (pixel >> 16) & 255;
      rgb[target++] = (pixel >> 8) & 255;
      rgb[target++] = pixel & 255;
    }
  }
  return { width, height, rgb };
}

/**
 * How many different colours there are: an empty screen has one.
 *
 * @param {Picture} picture
 */
export function countColours({ rgb }) {
  const seen = new Set();
  for (let at = 0; at < rgb.length; at += 3) seen.add(rgb.readUIntBE(at, 3));
  return seen.size;
}

/**
 * @param {Picture} picture
 * @returns {Buffer} a PNG file
 */
export function encodePng({ width, height, rgb }) {
  const rows = Buffer.alloc(height * (1 + width * 3)); // Each row starts with its filter: 0, none.
  for (let y = 0; y < height; y++)
    rgb.copy(rows, y * (1 + width * 3) + 1, y * width * 3, (y + 1) * width * 3);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8); // 8 bits a channel, RGB
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * @param {string} type
 * @param {Buffer} data
 */
function pngChunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

/** @param {Buffer} bytes */
function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
