/** Snapshots in a file, one JSON value a line, so that an incident can be looked at again. */
import { createWriteStream, type WriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { once } from 'node:events';
import type { Snapshot } from '../../shared/contract/snapshot';
import { MiB } from '../../shared/units';

/** Writes Snapshots to a new file as they come. */
export class SnapshotRecorder {
  private constructor(private readonly stream: WriteStream) {}

  /**
   * Rejects with the system's error where the file cannot be made: also (EEXIST) where there is one already and
   * `overwrite` is not set. A pipe or a device is no file that could be lost.
   */
  static async open(file: string, overwrite: boolean): Promise<SnapshotRecorder> {
    const keeps = overwrite || (await isNoFile(file));
    const stream = createWriteStream(file, { mode: 0o600, flags: keeps ? 'w' : 'wx' });
    await once(stream, 'open');
    return new SnapshotRecorder(stream);
  }

  /** Resolves when the system has taken the line; rejects where the disk is full. */
  write(snapshot: Snapshot): Promise<void> {
    return new Promise((resolve, reject) => {
      this.stream.write(`${JSON.stringify(snapshot)}\n`, (error) =>
        error === null || error === undefined ? resolve() : reject(error),
      );
    });
  }

  async close(): Promise<void> {
    this.stream.end();
    if (!this.stream.closed) await once(this.stream, 'close');
  }
}

async function isNoFile(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null); // Not there yet, or not to be seen: opening it tells more.
  return found !== null && !found.isFile();
}

/** A line that is no recorded Snapshot; `line` counts from 1. */
export class DamagedRecording extends Error {
  constructor(readonly line: number) {
    super(`line ${line} is no recorded reading`);
  }
}

/** A reading of 16 cards with 400 processes has about a million characters; what is so much longer is another file. */
const mostLineLength = 16 * MiB;

/** The Snapshots in the pieces of a recording. Throws DamagedRecording; a last line that was cut is passed over. */
export async function* readRecording(pieces: AsyncIterable<string>): AsyncGenerator<Snapshot> {
  let rest = '';
  let line = 0;
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      line += 1;
      if (text.trim() === '') continue;
      const snapshot = parseSnapshot(text);
      if (snapshot === null) throw new DamagedRecording(line);
      yield snapshot;
    }
    if (rest.length > mostLineLength) throw new DamagedRecording(line + 1);
  }
  const last = rest.trim() === '' ? null : parseSnapshot(rest);
  if (last !== null) yield last;
  else if (rest.trim() !== '' && line === 0) throw new DamagedRecording(1);
}

function parseSnapshot(text: string): Snapshot | null {
  try {
    const value: unknown = JSON.parse(text);
    return isSnapshot(value) ? value : null;
  } catch {
    // Not JSON: the caller says which line.
    return null;
  }
}

const lists = ['cards', 'processes', 'jobs', 'forecast', 'imbalance', 'alerts', 'problems'] as const;

/** Whether a value has the outline of a Snapshot; what lies deeper was written by this program. */
function isSnapshot(value: unknown): value is Snapshot {
  if (typeof value !== 'object' || value === null) return false;
  const parts: Partial<Record<string, unknown>> = { ...value };
  return (
    typeof parts['time'] === 'number' &&
    typeof parts['host'] === 'object' &&
    parts['host'] !== null &&
    typeof parts['source'] === 'object' &&
    parts['source'] !== null &&
    lists.every((name) => {
      const list = parts[name];
      return Array.isArray(list) && list.every((item) => typeof item === 'object' && item !== null);
    })
  );
}
