import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, problemText } from '../errors';
import { readWhole } from './boundedFile';
import { openNew } from './safeWrite';

/** What a file held. `damaged`: it is there but is no JSON. `unreadable`: the system refused; `problem` is its text. */
export type JsonRead =
  | { readonly kind: 'read'; readonly value: unknown }
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged' }
  | { readonly kind: 'unreadable'; readonly problem: string };

/** Larger than any file of ours that does not say otherwise; a larger one is not ours and counts as damaged. */
const usualMaxBytes = 1024 * 1024;

/** The value of a JSON file of ours. Never rejects, and reads no more than `maxBytes`. */
export async function readJsonFile(file: string, maxBytes = usualMaxBytes): Promise<JsonRead> {
  let text: string;
  try {
    const bytes = await readWhole(file, maxBytes);
    if (bytes === null) return { kind: 'damaged' };
    text = bytes.toString('utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'missing' };
    return { kind: 'unreadable', problem: problemText(error) };
  }
  try {
    return { kind: 'read', value: JSON.parse(text.replace(/^\uFEFF/, '')) };
  } catch {
    return { kind: 'damaged' }; // JSON.parse throws for nothing else.
  }
}

export type JsonLayout = 'indented' | 'compact';

/** Antivirus programs on Windows hold a fresh file for a moment; then rename fails with one of these. */
const passingErrors = ['EPERM', 'EACCES', 'EBUSY'];
const renameAttempts = 5;
const renamePauseMs = 50;

/**
 * Replaces the file as a whole: whatever happens meanwhile, it holds either the old or the new text. Only the owner
 * can read it. `layout`: indented for people to read, or compact, which takes main a third of the time where a file is large.
 * Throws what the system says where it cannot be written.
 */
export async function writeJsonFile(
  file: string,
  value: unknown,
  layout: JsonLayout = 'indented',
): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(path.dirname(file), { recursive: true });
    const handle = await openNew(temporary, { mode: 0o600, replace: true });
    try {
      await handle.writeFile(`${JSON.stringify(value, null, layout === 'indented' ? 2 : 0)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renameOver(temporary, file);
  } catch (error) {
    await unlink(temporary).catch(() => undefined); // It may never have come to be; the first error counts.
    throw error;
  }
}

async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      if (attempt === renameAttempts || !passingErrors.includes(errorCode(error) ?? '')) throw error;
      await delay(renamePauseMs * attempt);
    }
  }
}

/** A file of ours is never as large: what lies there in its place is put aside as it is, not copied for minutes. */
const mostCopiedBytes = 64 * 1024 * 1024;

/**
 * Keeps a file aside as `name.<label>.json`, over an older one of that label, before something else is written in its place;
 * the new path, or null where it fails.
 */
export async function keepCopy(file: string, label: string): Promise<string | null> {
  const copy = file.replace(/(\.json)?$/, `.${label}.json`);
  try {
    const stats = await lstat(file);
    if (stats.isFile() && stats.size <= mostCopiedBytes) {
      await unlink(copy).catch(() => undefined); // Usually there is none yet; what cannot be removed stops the copy.
      await copyFile(file, copy, constants.COPYFILE_EXCL);
    } else await rename(file, copy);
    return copy;
  } catch {
    return null; // A copy is a courtesy: without it the caller only says that there is none.
  }
}
