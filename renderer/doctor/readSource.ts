import { LogReader } from '../../shared/doctor/reader';
import { ExcerptCollector, type Excerpt } from '../../shared/doctor/view/excerpt';
import { guessEncoding, looksBinary } from '../../shared/textEncoding';
import type { DoctorReading, DoctorSource } from './runDoctor';

const partBytes = 4 * 1024 * 1024;
const partCharacters = 1024 * 1024;

/** The text of a source in parts, with the share that is read after each. */
async function* partsOf(source: DoctorSource): AsyncGenerator<{ text: string; share: number }> {
  if (typeof source === 'string') {
    for (let from = 0; from < source.length; from += partCharacters)
      yield { text: source.slice(from, from + partCharacters), share: from / source.length };
    return;
  }
  let decoder: TextDecoder | null = null;
  for (let from = 0; from < source.size; from += partBytes) {
    const bytes = await source.slice(from, from + partBytes).arrayBuffer();
    decoder ??= new TextDecoder(guessEncoding(new Uint8Array(bytes)).encoding);
    const isLast = from + partBytes >= source.size;
    yield {
      text: decoder.decode(bytes, { stream: !isLast }),
      share: Math.min(1, (from + partBytes) / source.size),
    };
  }
}

/** The source in UTF-8: a file that is stored so is not decoded at all. */
async function* bytesOf(
  source: DoctorSource,
  encoder: TextEncoder,
): AsyncGenerator<{ bytes: Uint8Array; share: number }> {
  if (typeof source !== 'string') {
    const head = new Uint8Array(await source.slice(0, headBytes).arrayBuffer());
    const { encoding, markBytes } = guessEncoding(head);
    if (encoding === 'utf-8') {
      for (let from: number = markBytes; from < source.size; from += partBytes)
        yield {
          bytes: new Uint8Array(await source.slice(from, from + partBytes).arrayBuffer()),
          share: Math.min(1, (from + partBytes) / source.size),
        };
      return;
    }
  }
  for await (const { text, share } of partsOf(source)) yield { bytes: encoder.encode(text), share };
}

function beginningOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, headBytes));
}

/** How much of a file's beginning is read to tell text from a packed file and to guess the encoding. */
const headBytes = 4096;

/** Reads a source to its end, then once more for the lines around its first failure. Null: a file that is no text, of which nothing was read. */
export async function readSource(
  source: DoctorSource,
  onprogress: (share: number) => void,
): Promise<DoctorReading | null> {
  const reader = new LogReader();
  const encoder = new TextEncoder();
  let isFirst = true;
  for await (const { bytes, share } of bytesOf(source, encoder)) {
    if (isFirst && typeof source !== 'string' && looksBinary(beginningOf(bytes))) return null;
    isFirst = false;
    reader.push(bytes);
    onprogress(share);
  }
  const diagnosis = reader.finish();
  const root = diagnosis.failures[diagnosis.rootFailure ?? 0];
  return { diagnosis, excerpt: await excerptOf(source, root?.line ?? 1) };
}

/** The lines around one line of a source; the whole of a short one. */
export async function excerptOf(source: DoctorSource, line: number): Promise<Excerpt> {
  const collector = new ExcerptCollector(line);
  for await (const { text } of partsOf(source)) {
    collector.push(text);
    if (collector.isFull) break;
  }
  return collector.finish();
}
