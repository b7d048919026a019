/**
 * UTF-8 to text and back, for the few pieces of a log that are looked at closely; `shared/` knows no platform's decoder.
 * A byte that fits nowhere becomes U+FFFD, as https://encoding.spec.whatwg.org/#utf-8-decoder has it.
 */
export function decodeUtf8(bytes: Uint8Array, from: number, to: number): string {
  const parts: string[] = [];
  const units: number[] = [];
  let at = from;
  while (at < to) {
    const first = bytes[at] ?? 0;
    const length = first < 0x80 ? 1 : sequenceLength(first);
    const code = length === 1 ? first : codePoint(bytes, at, Math.min(to, at + length), length);
    if (code === null || (length === 1 && first >= 0x80)) {
      units.push(replacement);
      at += 1;
    } else {
      if (code > 0xffff) units.push(0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff));
      else units.push(code);
      at += length;
    }
    if (units.length >= unitsAtOnce) parts.push(String.fromCharCode(...units.splice(0)));
  }
  parts.push(String.fromCharCode(...units));
  return parts.join('');
}

const replacement = 0xfffd;
/** More arguments than engines take in one call must not come together. */
const unitsAtOnce = 4096;

function sequenceLength(first: number): number {
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 1;
}

/** Null where the sequence is cut or no character. */
function codePoint(bytes: Uint8Array, at: number, end: number, length: number): number | null {
  if (end - at < length) return null;
  let code = (bytes[at] ?? 0) & (0x7f >> length);
  for (let next = at + 1; next < end; next += 1) {
    const byte = bytes[next] ?? 0;
    if ((byte & 0xc0) !== 0x80) return null;
    code = (code << 6) | (byte & 0x3f);
  }
  const least = length === 2 ? 0x80 : length === 3 ? 0x800 : 0x10000;
  return code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? null : code;
}

export function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(3 * text.length);
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    let code = text.charCodeAt(index);
    if (code < 0x80) {
      bytes[length++] = code;
      continue;
    }
    if (code >= 0xd800 && code <= 0xdfff) {
      const low = text.charCodeAt(index + 1);
      const isPair = code < 0xdc00 && low >= 0xdc00 && low <= 0xdfff;
      code = isPair ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : replacement;
      if (isPair) index += 1;
    }
    if (code < 0x800) bytes[length++] = 0xc0 | (code >> 6);
    else {
      if (code < 0x10000) bytes[length++] = 0xe0 | (code >> 12);
      else {
        bytes[length++] = 0xf0 | (code >> 18);
        bytes[length++] = 0x80 | ((code >> 12) & 0x3f);
      }
      bytes[length++] = 0x80 | ((code >> 6) & 0x3f);
    }
    bytes[length++] = 0x80 | (code & 0x3f);
  }
  return bytes.subarray(0, length);
}

/** Line feeds from `from` up to `to`. */
export function countLineFeeds(bytes: Uint8Array, from: number, to: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  let at = from;
  // Four bytes at once: a byte of `rest` has its high bit clear where it is a line feed (Hacker's Delight, 6-1). Each of
  // the four bytes of `counts` counts for itself, as a branch a word would cost more than all the rest.
  while (at + 4 <= to) {
    const end = Math.min(to - 3, at + 4 * mostOfAByte);
    let counts = 0;
    for (; at < end; at += 4) {
      const differing = view.getInt32(at, true) ^ fourLineFeeds;
      const rest = ((differing & 0x7f7f7f7f) + 0x7f7f7f7f) | differing | 0x7f7f7f7f;
      counts += (~rest >>> 7) & 0x01010101;
    }
    count += (counts & 255) + ((counts >>> 8) & 255) + ((counts >>> 16) & 255) + (counts >>> 24);
  }
  for (; at < to; at += 1) if (bytes[at] === lineFeed) count += 1;
  return count;
}

export const lineFeed = 10;
/** What one byte can count. */
const mostOfAByte = 255;
const fourLineFeeds = 0x0a0a0a0a;

/**
 * Where the line begins that holds `offset`, looked for over at most `reach` bytes; null where it began further above.
 * A loop, as lines are short and a call of `lastIndexOf` costs more than most of them.
 */
export function startOfLine(bytes: Uint8Array, offset: number, reach: number): number | null {
  const least = Math.max(0, offset - reach);
  for (let at = offset - 1; at >= least; at -= 1) if (bytes[at] === lineFeed) return at + 1;
  return least === 0 ? 0 : null;
}

/** Where the line ends that holds `offset`: at its line feed, or at the end of the bytes. */
export function endOfLine(bytes: Uint8Array, offset: number): number {
  const at = bytes.indexOf(lineFeed, offset);
  return at < 0 ? bytes.length : at;
}
