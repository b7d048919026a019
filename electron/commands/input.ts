/** Reading what a user names: a file or stdin, within a limit, in the encodings that shells and editors write. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { TextDecoder, TextEncoder } from 'node:util';
import { message } from '../../shared/i18n/message';
import { guessEncoding } from '../../shared/textEncoding';
import { errorCode, problemText } from '../errors';
import { CommandError, MissingFileError } from './command';

/** Windows PowerShell's `>` writes UTF-16, other tools there UTF-16 without a byte-order mark. */
function decoderFor(start: Uint8Array): TextDecoder {
  return new TextDecoder(guessEncoding(start).encoding);
}

function readFailure(file: string, error: unknown): CommandError {
  switch (errorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new MissingFileError(file);
    case 'EISDIR':
      return new CommandError(message('cli.fileIsFolder', { file }));
    case 'EACCES':
    case 'EPERM':
      return new CommandError(message('cli.fileDenied', { file }));
    default:
      return new CommandError(message('cli.fileUnreadable', { file, reason: problemText(error) }));
  }
}

/**
 * The decoded text of a file (`-`: of `stdin`) in pieces. Throws CommandError where it cannot be read or is larger
 * than `maxBytes`; a regular file that is too large is refused before the first byte.
 */
export async function* readChunks(
  file: string,
  maxBytes: number,
  stdin: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield* decoded(readBytes(file, maxBytes, stdin, signal));
}

/** As `readChunks`, undecoded: the text's bytes in UTF-8, whatever it is stored in. */
export async function* readUtf8(
  file: string,
  maxBytes: number,
  stdin: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let decoder: TextDecoder | null = null;
  const encoder = new TextEncoder();
  let isFirst = true;
  for await (const chunk of readBytes(file, maxBytes, stdin, signal)) {
    if (isFirst) {
      const { encoding, markBytes } = guessEncoding(chunk);
      isFirst = false;
      if (encoding === 'utf-8') {
        yield chunk.subarray(markBytes);
        continue;
      }
      decoder = new TextDecoder(encoding);
    }
    yield decoder === null ? chunk : encoder.encode(decoder.decode(chunk, { stream: true }));
  }
}

/** The bytes of a file (`-`: of `stdin`) in pieces, under the same limit and with the same errors. */
export async function* readBytes(
  file: string,
  maxBytes: number,
  stdin: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    const source = file === '-' ? stdin : await openFile(file, maxBytes, signal);
    let bytes = 0;
    for await (const chunk of source) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new CommandError(message('cli.fileTooLarge', { file, limit: maxBytes }));
      yield chunk;
    }
  } catch (error) {
    if (error instanceof CommandError || signal.aborted) throw error;
    throw readFailure(file, error);
  }
}

async function openFile(
  file: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const facts = await stat(file);
  if (facts.isDirectory()) throw new CommandError(message('cli.fileIsFolder', { file }));
  // A named pipe may never get a writer; a descriptor of this very call (`<(…)`) was handed over on purpose.
  if (!facts.isFile() && !/^\/(?:dev|proc\/self)\/(?:fd\/\d{1,9}|stdin)$/.test(file))
    throw new CommandError(message('cli.fileNotPlain', { file }));
  if (facts.size > maxBytes) throw new CommandError(message('cli.fileTooLarge', { file, limit: maxBytes }));
  return createReadStream(file, { signal, highWaterMark: chunkBytes });
}

/** Large enough that the calls for each chunk cost nothing beside the reading. */
const chunkBytes = 512 * 1024;

async function* decoded(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null;
  for await (const chunk of source) {
    decoder ??= decoderFor(chunk);
    yield decoder.decode(chunk, { stream: true });
  }
  const end = decoder?.decode() ?? '';
  if (end !== '') yield end;
}
