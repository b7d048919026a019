/** Snapshots in a file, one JSON value a line, so that an incident can be looked at again. */
import type { WriteStream } from 'node:fs';
import { once } from 'node:events';
import type { Snapshot } from '../../shared/alerts/snapshot';
import { MiB } from '../../shared/units';
import { openDevice, openNew } from '../storage/safeWrite';
import { readSnapshot } from './recordedSnapshot';

/** Writes Snapshots to a new file as they come. */
export class SnapshotRecorder {
  private constructor(private readonly stream: WriteStream) {}

  /**
   * Rejects with the system's error where the file cannot be made: also (EEXIST) where there is one already and
   * `overwrite` is not set. A device such as /dev/null is no file that could be lost; a link is not followed.
   */
  static async open(file: string, overwrite: boolean): Promise<SnapshotRecorder> {
    const handle = (await openDevice(file)) ?? (await openNew(file, { mode: 0o600, replace: overwrite }));
    return new SnapshotRecorder(handle.createWriteStream());
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
    return readSnapshot(JSON.parse(text));
  } catch {
    // Not JSON: the caller says which line.
    return null;
  }
}
