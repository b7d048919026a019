/** Files of a person's disk, which may be of any size, or no files at all: never more of them is read than is wanted. */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/**
 * The whole of a regular file; null for anything else, and where it is larger than `maxBytes`, which its size tells before anything is read. Throws what
 * the system says where it cannot be read.
 */
export function readWhole(file: string, maxBytes: number): Promise<Buffer | null> {
  return withFile(file, async (handle) => {
    const stats = await handle.stat();
    if ((!stats.isFile() && !stats.isDirectory()) || stats.size > maxBytes) return null;
    const { size } = stats;
    // A file may grow meanwhile: what comes is counted, too.
    const bytes = await readUpTo(handle, maxBytes + 1, size + 1);
    return bytes.length > maxBytes ? null : bytes;
  });
}

/** The last `maxBytes` of a regular file, all of a smaller one; null for anything else. Throws as `readWhole` does. */
export function readTail(file: string, maxBytes: number): Promise<Buffer | null> {
  return withFile(file, async (handle) => {
    const stats = await handle.stat();
    if (!stats.isFile()) return null;
    const length = Math.min(stats.size, maxBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, stats.size - length);
    return buffer.subarray(0, bytesRead);
  });
}

const leastPartBytes = 64 * 1024;

async function withFile<Result>(file: string, use: (handle: FileHandle) => Promise<Result>): Promise<Result> {
  // Without NONBLOCK a pipe of that name would hold the opening up for ever.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

async function readUpTo(handle: FileHandle, mostBytes: number, expectedBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let left = mostBytes; left > 0;) {
    const length = Math.min(left, Math.max(leastPartBytes, expectedBytes));
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, null);
    if (bytesRead === 0) break;
    parts.push(buffer.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return Buffer.concat(parts);
}
