/**
 * Writing where other people may write, too: a link of the file's name is never followed, and a pipe never waited for.
 * Whoever writes a file goes through one of these functions.
 */
import { constants } from 'node:fs';
import { lstat, open, unlink, type FileHandle } from 'node:fs/promises';
import { errorCode } from '../errors';

/** Opening follows no link and waits for no reader of a pipe; Windows knows neither flag. */
const carefulFlags =
  constants.O_WRONLY | (process.platform === 'win32' ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK);

export interface NewFile {
  /** Permissions of the new file, such as 0o600. */
  readonly mode: number;
  /** Whether something that has the name already is removed first; a link is removed itself, not what it leads to. */
  readonly replace: boolean;
}

/**
 * A new file of that name, open for writing. Rejects with EEXIST where the name is taken and `replace` is not set, also
 * where it was taken in this very moment; with EISDIR or EPERM where a folder has it.
 */
export async function openNew(file: string, { mode, replace }: NewFile): Promise<FileHandle> {
  if (replace) await removeEntry(file);
  return open(file, 'wx', mode);
}

/** Writes a new file in one go; rejects as `openNew` does, and with what the system says of a full disk. */
export async function writeNew(file: string, text: string, options: NewFile): Promise<void> {
  const handle = await openNew(file, options);
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}

/**
 * A regular file to append to, made where it is not there. Rejects with ELOOP where the name is a link, and with EINVAL
 * where it is a pipe, a device, or a file with a second name, which may be somebody else's.
 */
export async function openToAppend(file: string, mode: number): Promise<FileHandle> {
  const handle = await open(file, carefulFlags | constants.O_APPEND | constants.O_CREAT, mode);
  const stats = await handle.stat();
  if (stats.isFile() && stats.nlink <= 1) return handle;
  await handle.close();
  throw Object.assign(new Error(`EINVAL: not a plain file of its own, open '${file}'`), { code: 'EINVAL' });
}

/** A device such as /dev/null, open for writing: nothing can be lost there. Null where the name is anything else. */
export async function openDevice(file: string): Promise<FileHandle | null> {
  const found = await lstat(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  return found?.isCharacterDevice() === true ? open(file, carefulFlags) : null;
}

async function removeEntry(file: string): Promise<void> {
  try {
    // Of a folder's name `unlink` removes nothing and says so.
    await unlink(file);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
