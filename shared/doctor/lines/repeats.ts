import { lineFeed, startOfLine } from './utf8';

/** Lines of one wording that are read; a run that prints the same warning a million times is not read a million times. */
const mostOfAKind = 96;
/** Suspicious lines of all wordings that are read: the first failure of a log comes before the thousandth. */
const mostInAll = 6_000;
/** So many bytes of a line, digits apart, are its wording. */
const reach = 48;

/** Counts suspicious lines by their wording without numbers, so that the rest of a flood can be passed over. */
export class RepeatFilter {
  private readonly counts = new Map<number, number>();
  private inAll = 0;
  private lineEnd = 0;
  private lastAnswer = false;

  /** Whether lines like the one at this offset were read often enough. Offsets come in rising order. */
  isWornOut(bytes: Uint8Array, offset: number): boolean {
    if (offset < this.lineEnd) return this.lastAnswer;
    if (this.inAll >= mostInAll) return true;
    const { wording, end } = wordingAt(bytes, offset);
    this.lineEnd = end;
    const count = (this.counts.get(wording) ?? 0) + 1;
    this.lastAnswer = count > mostOfAKind;
    if (!this.lastAnswer) {
      this.counts.set(wording, count);
      this.inAll += 1;
    }
    return this.lastAnswer;
  }

  /** The text was cut: its first `length` are gone. */
  shift(length: number): void {
    this.lineEnd = Math.max(0, this.lineEnd - length);
  }
}

/**
 * A hash (FNV-1a) of a line's beginning, digits left out, and where that part ends. Of a line that began far above,
 * the bytes just before the offset are taken instead.
 */
function wordingAt(bytes: Uint8Array, offset: number): { wording: number; end: number } {
  const start = startOfLine(bytes, offset, 2 * reach);
  const from = start ?? offset - reach;
  let hash = 0x811c9dc5;
  let end = from;
  for (let seen = 0; end < bytes.length && (seen < reach || end <= offset); end += 1) {
    const code = bytes[end] ?? 0;
    if (code === lineFeed) break;
    if (isDigit(code)) continue;
    seen += 1;
    if (seen <= reach) hash = Math.imul(hash ^ code, 0x01000193);
  }
  return { wording: hash >>> 0, end };
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
