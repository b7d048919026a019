import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { countColours, encodePng, readWindowDump } from '../../../build/display/windowDump.mjs';

/** A dump of 2 x 2 pixels as Xvfb writes it: little-endian pixels, rows of 12 bytes (one pixel of filling), a colour. */
function smallDump(): Buffer {
  const headerBytes = 104;
  const dump = Buffer.alloc(headerBytes + 12 + 2 * 12);
  const words = { 0: headerBytes, 1: 7, 4: 2, 5: 2, 7: 0, 11: 32, 12: 12, 19: 1 };
  for (const [index, value] of Object.entries(words)) dump.writeUInt32BE(value, Number(index) * 4);
  const pixels = headerBytes + 12;
  dump.writeUInt32LE(0xff0000, pixels);
  dump.writeUInt32LE(0x00ff00, pixels + 4);
  dump.writeUInt32LE(0x0000ff, pixels + 12);
  dump.writeUInt32LE(0xff0000, pixels + 16);
  return dump;
}

describe('a window dump', () => {
  test('gives its pixels, rows from the top', () => {
    const picture = readWindowDump(smallDump());
    expect(picture).toEqual({
      width: 2,
      height: 2,
      rgb: Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 0, 0]),
    });
    expect(countColours(picture)).toBe(3);
  });

  test('can be read coarsely', () => {
    expect(readWindowDump(smallDump(), 2)).toEqual({ width: 1, height: 1, rgb: Buffer.from([255, 0, 0]) });
  });

  test('of another kind is refused', () => {
    const dump = smallDump();
    dump.writeUInt32BE(16, 11 * 4);
    expect(() => readWindowDump(dump)).toThrow(RangeError);
    expect(() => readWindowDump(Buffer.alloc(8))).toThrow(RangeError);
  });
});

test('a PNG holds size, pixels and right checksums', () => {
  const png = encodePng(readWindowDump(smallDump()));

  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  expect(png.toString('latin1', 12, 16)).toBe('IHDR');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([2, 2]);
  const dataLength = png.readUInt32BE(33);
  expect(png.toString('latin1', 37, 41)).toBe('IDAT');
  expect([...inflateSync(png.subarray(41, 41 + dataLength))]).toEqual([
    ...[0, 255, 0, 0, 0, 255, 0],
    ...[0, 0, 0, 255, 255, 0, 0],
  ]);
  expect(png.subarray(-12).toString('hex')).toBe('0000000049454e44ae426082'); // IEND, as every PNG ends
});
