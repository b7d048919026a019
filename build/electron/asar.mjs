/**
 * Packs a few text files into Electron's archive format: a pickled JSON header that lists size and offset of each
 * file, then the files' bytes (https://github.com/electron/asar#format). Written here because it is needed for one
 * tiny archive, and the asar package is only an indirect dependency.
 *
 * @param {Readonly<Record<string, string>>} files text by name, without folders
 * @returns {Buffer}
 */
export function packAsar(files) {
  let offset = 0;
  /** @type {Record<string, { size: number, offset: string }>} */
  const entries = {};
  const bodies = Object.entries(files).map(([name, text]) => {
    const body = Buffer.from(text);
    entries[name] = { size: body.length, offset: String(offset) };
    offset += body.length;
    return body;
  });
  const header = pickleString(JSON.stringify({ files: entries }));
  const headerSize = Buffer.alloc(8);
  headerSize.writeUInt32LE(4, 0);
  headerSize.writeUInt32LE(header.length, 4);
  return Buffer.concat([headerSize, header, ...bodies]);
}

/**
 * Chromium's pickle of one string: payload size, string length, the bytes, filled up to a multiple of four.
 *
 * @param {string} text
 */
function pickleString(text) {
  const bytes = Buffer.from(text);
  const padded = Math.ceil(bytes.length / 4) * 4;
  const pickle = Buffer.alloc(8 + padded);
  pickle.writeUInt32LE(4 + padded, 0);
  pickle.writeUInt32LE(bytes.length, 4);
  bytes.copy(pickle, 8);
  return pickle;
}
