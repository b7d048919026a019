import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../errors';
import { writeNew } from './safeWrite';

/** One file of a plan; its name was checked to be a plain one. */
export interface PlanFile {
  readonly name: string;
  readonly text: string;
}

/** The names of those files that are in the folder already. Throws what the system says where it cannot be read. */
export async function existingFiles(folder: string, files: readonly PlanFile[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name } of files) if (await isThere(path.join(folder, name))) found.push(name);
  return found;
}

async function isThere(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Writes the files. Only those that a person agreed to are replaced: whatever came to be meanwhile stops it. Throws what
 * the system says; files before the failing one are written then.
 */
export async function writeFiles(
  folder: string,
  files: readonly PlanFile[],
  replaced: readonly string[],
): Promise<void> {
  for (const { name, text } of files) {
    const file = path.join(folder, name);
    // A link of that name is replaced, and what it leads to is left alone.
    await writeNew(file, text, {
      mode: name.endsWith('.sh') ? 0o755 : 0o644,
      replace: replaced.includes(name),
    });
  }
}
