/**
 * Finds any of many literal texts in one pass that skips most characters (Wu and Manber 1994: a table of how far the
 * window may move, by the block of characters at its end). Letters match in either case.
 */
export class AnchorSearch {
  private readonly windowLength: number;
  private readonly shifts: Uint8Array;
  /** For each block, the first anchor whose window ends with it; `next` chains the others. -1 ends. */
  private readonly first: Int16Array;
  private readonly next: Int16Array;
  /** Where in each anchor its window begins. */
  private readonly windowStarts: readonly number[];

  /** @param anchors lower-case ASCII texts of at least six characters */
  constructor(private readonly anchors: readonly string[]) {
    this.windowLength = Math.min(...anchors.map((anchor) => anchor.length));
    if (!(this.windowLength >= 6)) throw new RangeError('An anchor needs at least six characters');
    this.shifts = new Uint8Array(blocks).fill(this.windowLength - blockLength + 1);
    this.first = new Int16Array(blocks).fill(-1);
    this.next = new Int16Array(anchors.length).fill(-1);
    this.windowStarts = anchors.map((anchor) => rarestWindow(anchor, this.windowLength));
    anchors.forEach((anchor, index) => this.enter(anchor.slice(this.windowStarts[index]), index));
  }

  private enter(window: string, index: number): void {
    for (let end = blockLength - 1; end < this.windowLength; end += 1) {
      const block = blockOf(window.charCodeAt(end - 2), window.charCodeAt(end - 1), window.charCodeAt(end));
      const shift = this.windowLength - 1 - end;
      if (shift < (this.shifts[block] ?? 0)) this.shifts[block] = shift;
      if (shift > 0) continue;
      this.next[index] = this.first[block] ?? -1;
      this.first[block] = index;
    }
  }

  /** The length of the longest anchor: what must be at hand behind an offset before it can be searched. */
  get reach(): number {
    return Math.max(...this.anchors.map((anchor) => anchor.length));
  }

  /**
   * Calls `found` with the beginning of each anchor whose window begins at `from` or later and before `to` and that is
   * whole in the text, in the order of the windows. It returns the offset from which to go on; anything up to the
   * window's own is the next character.
   */
  search(text: string, from: number, to: number, found: (offset: number, anchor: number) => number): void {
    const { shifts, windowLength } = this;
    const last = Math.min(text.length - 1, to + windowLength - 2);
    let end = from + windowLength - 1;
    while (end <= last) {
      const block = blockOf(text.charCodeAt(end - 2), text.charCodeAt(end - 1), text.charCodeAt(end));
      const shift = shifts[block] ?? 0;
      if (shift > 0) {
        end += shift;
        continue;
      }
      const offset = end - windowLength + 1;
      let goOnAt = offset + 1;
      for (let index = this.first[block] ?? -1; index >= 0; index = this.next[index] ?? -1) {
        const start = offset - (this.windowStarts[index] ?? 0);
        if (this.stands(index, text, start)) goOnAt = Math.max(goOnAt, found(start, index));
      }
      end = goOnAt + windowLength - 1;
    }
  }

  private stands(index: number, text: string, offset: number): boolean {
    const anchor = this.anchors[index] ?? '';
    if (offset < 0 || offset + anchor.length > text.length) return false;
    for (let at = 0; at < anchor.length; at += 1)
      if (lowered(text.charCodeAt(offset + at)) !== anchor.charCodeAt(at)) return false;
    return true;
  }
}

/**
 * The part of an anchor to look for: one across the end of a word where there is one, since logs are full of
 * "memory", "allocated" and "reserved" but not of "y error" or "ed in t"; else its end.
 */
function rarestWindow(anchor: string, length: number): number {
  const last = anchor.length - length;
  for (let start = 0; start <= last; start += 1)
    if (/^[a-z]+[^a-z][a-z]/.test(anchor.slice(start + 1, start + length))) return start;
  return last;
}

const blockLength = 3;
const blocks = 1 << 16;

/** A hash of three characters, letters of either case alike; blocks that collide only cost a comparison. */
function blockOf(first: number, second: number, third: number): number {
  return (((first | 32) & 127) * 961 + ((second | 32) & 127) * 31 + ((third | 32) & 127)) & (blocks - 1);
}

function lowered(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}
