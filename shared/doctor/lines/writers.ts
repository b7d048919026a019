import type { LogLine } from './lines';

/**
 * The lines of one writer, once as read and once without any whitespace. Messages are matched in the second form:
 * there a console's wrap, a word wrap, a mail client's or a person's own typing make no difference.
 */
export interface WriterText {
  readonly writer: string;
  readonly lines: readonly LogLine[];
  readonly compact: string;
  /** Offset in `compact` at which each line begins; ascending. */
  readonly starts: readonly number[];
}

/** Separates an interleaved piece by writer; lines without a prefix are one writer of their own. */
export function separateWriters(lines: readonly LogLine[]): WriterText[] {
  const byWriter = new Map<string, LogLine[]>();
  for (const line of lines) {
    const own = byWriter.get(line.writer);
    if (own === undefined) byWriter.set(line.writer, [line]);
    else own.push(line);
  }
  return [...byWriter].map(([writer, own]) => ({ writer, lines: own, ...compactLines(own) }));
}

/** Index in `lines` of the line that holds this offset of the compact text. */
export function lineIndexAt(text: WriterText, offset: number): number {
  let low = 0;
  let high = text.starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((text.starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Whitespace, invisible and drawing characters, and the marks of Markdown. Vertical tab and form feed stay (card 11, 12). */
const dropped = /[ \t\r\n\u00a0\u2000-\u200f\u2028\u2029\u202f\u3000\ufeff*`|\u2500-\u259f\u2771]+/g;

function compactLines(lines: readonly LogLine[]): { compact: string; starts: number[] } {
  const parts: string[] = [];
  const starts: number[] = [];
  let length = 0;
  let last = '';
  let wrapped = false;
  for (const line of lines) {
    const text = line.text.replace(dropped, keepBetweenDigits);
    const gap = !wrapped && isDigit(last) && isDigit(text.charAt(0)) && !endsInsideNumber(parts) ? ' ' : '';
    starts.push(length + gap.length);
    parts.push(gap, text);
    length += gap.length + text.length;
    if (text !== '') last = text.charAt(text.length - 1);
    wrapped = line.joint === '';
  }
  return { compact: parts.join(''), starts };
}

/** Two numbers side by side must not become one. */
function keepBetweenDigits(found: string, offset: number, line: string): string {
  return isDigit(line.charAt(offset - 1)) && isDigit(line.charAt(offset + found.length)) ? ' ' : '';
}

/** A size has two decimals: a line that ends in `2.` or `2.0` was cut inside its number. */
function endsInsideNumber(parts: readonly string[]): boolean {
  for (let index = parts.length - 1; index >= 0; index -= 1) {
    const part = parts[index] ?? '';
    if (part !== '') return /\d\.\d?$/.test(part);
  }
  return false;
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9' && character.length === 1;
}
