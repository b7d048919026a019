/**
 * Reading /proc, synchronously: measured on 469 processes, six files each cost 54 ms this way and 487 ms through
 * fs.promises. It runs in the sampler's own process, so nothing else waits.
 */
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import type { UnreadableReason } from '../../shared/jobs/types';
import { errorCode } from '../errors';

export type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: Extract<UnreadableReason, 'permission' | 'gone' | 'notOffered'> };

const buffer = Buffer.allocUnsafe(256 * 1024);
const partBytes = 1024;

/** The text of a small file, at most 256 KiB of it. Files of /proc have no size, so it is read until it ends. */
export function readProcFile(path: string): Read<string> {
  return readOpened(path, (descriptor) => {
    let length = 0;
    for (;;) {
      const count = readSync(descriptor, buffer, length, buffer.length - length, null);
      length += count;
      // A short read of a /proc file is its end for all files but the long ones, which one more read shows.
      if (count === 0 || length === buffer.length || (count < 4096 && length === count)) return length;
    }
  });
}

/**
 * The beginning of a long file of /proc, read in small parts until it `suffices`: the kernel makes no more of such a
 * file than is asked for.
 */
export function readProcStart(path: string, suffices: (text: string) => boolean): Read<string> {
  return readOpened(path, (descriptor) => {
    let length = 0;
    for (;;) {
      const count = readSync(descriptor, buffer, length, Math.min(partBytes, buffer.length - length), null);
      length += count;
      if (count === 0 || length === buffer.length || suffices(buffer.toString('utf8', 0, length)))
        return length;
    }
  });
}

/** Opens a file for `fill`, which puts it into the buffer and says how much of that is the file's. */
function readOpened(path: string, fill: (descriptor: number) => number): Read<string> {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    return refused(error);
  }
  try {
    return { ok: true, value: buffer.toString('utf8', 0, fill(descriptor)) };
  } catch (error) {
    // The process may end between the two calls.
    return refused(error);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * A small file of /proc that stays open, for what is read every second: one call instead of three. One of a process
 * belongs to that very process: once it has ended nothing can be read, also when another process has its pid.
 */
export class KeptFile {
  private constructor(private readonly descriptor: number) {}

  /** Null where the file cannot be opened. */
  static open(path: string): KeptFile | null {
    try {
      return new KeptFile(openSync(path, 'r'));
    } catch {
      // Not there, or not ours to read: whoever asks reads by path and learns why.
      return null;
    }
  }

  /** The text as it is now; null where nothing can be read any more. */
  read(): string | null {
    try {
      const length = readSync(this.descriptor, buffer, 0, buffer.length, 0);
      return length === 0 ? null : buffer.toString('utf8', 0, length);
    } catch {
      // ESRCH: the process has ended.
      return null;
    }
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

export function readProcLink(path: string): Read<string> {
  try {
    return { ok: true, value: readlinkSync(path) };
  } catch (error) {
    return refused(error);
  }
}

export function listProcFolder(path: string): Read<readonly string[]> {
  try {
    return { ok: true, value: readdirSync(path) };
  } catch (error) {
    return refused(error);
  }
}

/** The pids in a /proc folder; empty where there is none. */
export function listPids(procFolder: string): readonly number[] {
  const names = listProcFolder(procFolder);
  if (!names.ok) return [];
  return names.value.filter((name) => name.charCodeAt(0) >= 48 && name.charCodeAt(0) <= 57).map(Number);
}

function refused(error: unknown): Extract<Read<never>, { readonly ok: false }> {
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return { ok: false, reason: 'permission' };
    case 'ENOENT':
    case 'ESRCH':
      return { ok: false, reason: 'gone' };
    default:
      return { ok: false, reason: 'notOffered' };
  }
}
