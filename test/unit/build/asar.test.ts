import { expect, test } from 'vitest';
import { packAsar } from '../../../build/electron/asar.mjs';

test('packs files as Electron reads them', () => {
  const archive = packAsar({ 'package.json': '{"main":"main.js"}', 'main.js': 'Größe' });

  // Two pickles: the size of the header, then the header's text with its length.
  expect(archive.readUInt32LE(0)).toBe(4);
  const headerSize = archive.readUInt32LE(4);
  const textLength = archive.readUInt32LE(12);
  expect(headerSize % 4).toBe(0);
  expect(archive.readUInt32LE(8)).toBe(headerSize - 4);
  const header: unknown = JSON.parse(archive.toString('utf8', 16, 16 + textLength));
  expect(header).toEqual({
    files: { 'package.json': { size: 18, offset: '0' }, 'main.js': { size: 7, offset: '18' } },
  });

  const bodies = archive.subarray(8 + headerSize);
  expect(bodies.toString('utf8', 0, 18)).toBe('{"main":"main.js"}');
  expect(bodies.toString('utf8', 18)).toBe('Größe');
});
