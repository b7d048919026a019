/** Strings and numbers as pickles write them. */

/** UTF-8 as Python writes it (lone surrogates included); a broken sequence becomes U+FFFD. */
export function asciiOrUtf8(bytes: Uint8Array, from: number, to: number): string {
  let index = from;
  let text = '';
  while (index < to) {
    const byte = bytes[index] ?? 0;
    if (byte < 0x80) {
      text += String.fromCharCode(byte);
      index++;
      continue;
    }
    const length =
      byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc2 && byte < 0xe0 ? 2 : 0;
    let point = length === 4 ? byte & 0x07 : length === 3 ? byte & 0x0f : byte & 0x1f;
    let isWhole = length > 0 && index + length <= to;
    for (let next = 1; isWhole && next < length; next++) {
      const following = bytes[index + next] ?? 0;
      isWhole = (following & 0xc0) === 0x80;
      point = (point << 6) | (following & 0x3f);
    }
    if (isWhole && point <= 0x10ffff) {
      text += String.fromCodePoint(point);
      index += length;
    } else {
      text += '\ufffd';
      index++;
    }
  }
  return text;
}

/** One character a byte. */
export function latin1(bytes: Uint8Array, from: number, to: number): string {
  const parts: string[] = [];
  const most = 4096;
  for (let start = from; start < to; start += most)
    parts.push(String.fromCharCode(...bytes.subarray(start, Math.min(to, start + most))));
  return parts.join('');
}

/** A little-endian integer in two's complement; beyond 2^53 the nearest double, which may be infinite. */
export function integerOf(bytes: Uint8Array, from: number, to: number): number {
  if (to === from) return 0;
  let value = 0;
  const isNegative = ((bytes[to - 1] ?? 0) & 0x80) !== 0;
  for (let index = to - 1; index >= from; index--) {
    const byte = bytes[index] ?? 0;
    value = value * 256 + (isNegative ? 255 - byte : byte);
  }
  return isNegative ? -value - 1 : value;
}

/** A number as Python's repr writes it; null for anything else. */
export function pythonLiteral(text: string): number | null {
  const trimmed = text.trim();
  if (/^[+-]?inf$/.test(trimmed)) return trimmed.startsWith('-') ? -Infinity : Infinity;
  if (trimmed === 'nan') return Number.NaN;
  return /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : null;
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

/** What protocol 0 escapes: `\n`, `\x41`, `\u4f60`, `\U0001f600`. */
export function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/gs,
    (
      whole,
      short: string | undefined,
      four: string | undefined,
      eight: string | undefined,
      single: string | undefined,
    ) => {
      const digits = short ?? four ?? eight;
      if (digits !== undefined) {
        const point = Number.parseInt(digits, 16);
        return point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
      }
      return escapes[single ?? ''] ?? whole;
    },
  );
}
