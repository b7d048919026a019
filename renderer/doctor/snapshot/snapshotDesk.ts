import { courseOf } from '../../../shared/memorySnapshot/course';
import { message } from '../../../shared/i18n/message';
import {
  damagedPacking,
  packingOf,
  packingStart,
  unpackXz,
  UnpackingLimit,
} from '../../../shared/memorySnapshot/packing';
import { SnapshotFileError } from '../../../shared/memorySnapshot/pickle/pickleError';
import { SnapshotAnalysis } from '../../../shared/memorySnapshot/report';
import { SnapshotFileReader } from '../../../shared/memorySnapshot/snapshotFile';
import { GiB } from '../../../shared/units';
import type { SnapshotQuestion, SnapshotReply } from './runSnapshot';

/** What the worker may hold of a file; 200 MB need a tenth of it. */
const limits = { memoryBytes: GiB };
const partBytes = 1024 * 1024;
/** More points than a wide screen has pixels to show. */
const coursePoints = 1_200;

/** Answers questions about the snapshot that it read last. */
export class SnapshotDesk {
  #analysis: SnapshotAnalysis | null = null;

  async answer(question: SnapshotQuestion, reply: (reply: SnapshotReply) => void): Promise<void> {
    const { id } = question;
    try {
      switch (question.kind) {
        case 'read': {
          this.#analysis = null;
          this.#analysis = await read(question.file, (share) => reply({ id, kind: 'progress', share }));
          reply({ id, kind: 'report', report: this.#analysis.report() });
          return;
        }
        case 'course': {
          const device = this.#analysis?.devices[question.device];
          const points =
            device === undefined ? [] : courseOf(device.history, device.kinds, question.range, coursePoints);
          reply({ id, kind: 'course', points });
          return;
        }
        case 'stacks': {
          const device = this.#analysis?.devices[question.device];
          const stacks =
            this.#analysis === null || device === undefined
              ? []
              : this.#analysis.stacksAt(device, question.event);
          reply({ id, kind: 'stacks', stacks });
        }
      }
    } catch (error) {
      if (error instanceof SnapshotFileError) reply({ id, kind: 'refused', reason: error.text });
      else reply({ id, kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
    }
  }
}

async function read(file: File, onprogress: (share: number) => void): Promise<SnapshotAnalysis> {
  const reader = new SnapshotFileReader(limits);
  for await (const bytes of unpacked(file, onprogress)) {
    reader.push(bytes);
    if (reader.isDone) break;
  }
  return new SnapshotAnalysis(reader.finish());
}

/** The bytes of a file in parts, unpacked where they are packed. */
async function* unpacked(file: File, onprogress: (share: number) => void): AsyncGenerator<Uint8Array> {
  let readBytes = 0;
  const limit = new UnpackingLimit(() => readBytes);
  async function* parts(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for (let from = 0; from < file.size; from += partBytes) {
      const bytes = new Uint8Array(await file.slice(from, from + partBytes).arrayBuffer());
      readBytes += bytes.length;
      onprogress(readBytes / file.size);
      yield bytes;
    }
  }
  const packing = packingOf(new Uint8Array(await file.slice(0, packingStart).arrayBuffer()));
  switch (packing) {
    case 'none':
      return yield* parts();
    case 'xz':
      return yield* unpackXz(parts(), limit);
    case 'gzip':
      return yield* unpackGzip(parts(), limit);
    case 'zstd':
      throw new SnapshotFileError(message('memorySnapshot.zstdInWindow'));
  }
}

async function* unpackGzip(
  source: AsyncIterable<Uint8Array<ArrayBuffer>>,
  limit: UnpackingLimit,
): AsyncGenerator<Uint8Array> {
  const stream = new DecompressionStream('gzip');
  const writer = stream.writable.getWriter();
  const writing = (async () => {
    for await (const packed of source) await writer.write(packed);
    await writer.close();
  })();
  // Its failure reaches the reader of the other end.
  writing.catch(() => undefined);
  const reader = stream.readable.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      limit.add(next.value.length);
      yield next.value;
    }
  } catch (error) {
    throw error instanceof TypeError ? damagedPacking('gzip', error.message) : error;
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
