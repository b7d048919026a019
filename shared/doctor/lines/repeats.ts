import { endOfLine, lineFeed, startOfLine } from './utf8';

/** Lines of one wording that are read; a run that prints the same warning a million times is not read a million times. */
const mostOfAKind = 32;
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
    const start = beginningOf(bytes, offset);
    const wording = wordingFrom(viewOf(bytes), start);
    this.lineEnd = Math.max(offset, Math.min(start + reach, endOfLine(bytes, offset)));
    const count = (this.counts.get(wording) ?? 0) + 1;
    this.lastAnswer = count > mostOfAKind;
    if (!this.lastAnswer) {
      this.counts.set(wording, count);
      this.inAll += 1;
    }
    return this.lastAnswer;
  }

  /**
   * The end of the last line in the row of lines that begin like the one at this offset, which is worn out. A flood is
   * passed over line by line without a search in them.
   */
  endOfFlood(bytes: Uint8Array, offset: number): number {
    const view = viewOf(bytes);
    const wording = wordingFrom(view, beginningOf(bytes, offset));
    let end = endOfLine(bytes, offset);
    while (end + 1 < bytes.length && wordingFrom(view, end + 1) === wording) {
      const next = endOfLine(bytes, end + 1);
      // A line of which the end is not at hand is for the next part.
      if (next === bytes.length) break;
      end = next;
    }
    this.lineEnd = Math.max(this.lineEnd, end);
    return end;
  }

  /** The text was cut: its first `length` are gone. */
  shift(length: number): void {
    this.lineEnd = Math.max(0, this.lineEnd - length);
  }
}

/** Where the wording of the line begins: of a line that began far above, the bytes just before the offset are taken. */
function beginningOf(bytes: Uint8Array, offset: number): number {
  return startOfLine(bytes, offset, 2 * reach) ?? offset - reach;
}

/** Its elements are numbers without a check for missing ones, which is what the loops over a flood cost most. */
function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A hash (FNV-1a) of a line's beginning, digits left out. */
function wordingFrom(view: DataView, from: number): number {
  const end = view.byteLength;
  let hash = 0x811c9dc5;
  let seen = 0;
  for (let at = from; at < end && seen < reach; at += 1) {
    const code = view.getUint8(at);
    if (code === lineFeed) break;
    if (isDigit(code)) continue;
    seen += 1;
    hash = Math.imul(hash ^ code, 0x01000193);
  }
  return hash >>> 0;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
