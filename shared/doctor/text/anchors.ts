/**
 * Finds any of many literal texts in one pass that skips most characters (Wu and Manber 1994: a table of how far the
 * window may move, by the pair of characters at its end). Letters match in either case.
 */
export class AnchorSearch {
  private readonly windowLength: number;
  private readonly shifts: Uint8Array;
  private readonly candidates: ReadonlyMap<number, readonly number[]>;

  /** @param anchors lower-case texts of at least four characters, all ASCII */
  constructor(private readonly anchors: readonly string[]) {
    this.windowLength = Math.min(...anchors.map((anchor) => anchor.length));
    if (!(this.windowLength >= 4)) throw new RangeError('An anchor needs at least four characters');
    this.shifts = new Uint8Array(pairs).fill(Math.min(255, this.windowLength - 1));
    const candidates = new Map<number, number[]>();
    anchors.forEach((anchor, index) => {
      for (let end = 1; end < this.windowLength; end += 1) {
        const pair = pairOf(anchor.charCodeAt(end - 1), anchor.charCodeAt(end));
        const shift = this.windowLength - 1 - end;
        if (shift < (this.shifts[pair] ?? 0)) this.shifts[pair] = shift;
        if (shift === 0) candidates.set(pair, [...(candidates.get(pair) ?? []), index]);
      }
    });
    this.candidates = candidates;
  }

  /**
   * Calls `found` for each place where an anchor begins, in order of its window's end.
   * @returns how far the text is searched: no anchor that begins before the returned offset was missed
   */
  search(text: string, from: number, found: (offset: number, anchor: number) => void): number {
    const { shifts, windowLength } = this;
    const length = text.length;
    let end = from + windowLength - 1;
    while (end < length) {
      const pair = pairOf(text.charCodeAt(end - 1), text.charCodeAt(end));
      const shift = shifts[pair] ?? 0;
      if (shift > 0) {
        end += shift;
        continue;
      }
      const offset = end - windowLength + 1;
      for (const index of this.candidates.get(pair) ?? [])
        if (this.stands(index, text, offset)) found(offset, index);
      end += 1;
    }
    return Math.max(from, end - windowLength + 1);
  }

  private stands(index: number, text: string, offset: number): boolean {
    const anchor = this.anchors[index] ?? '';
    for (let at = 0; at < anchor.length; at += 1)
      if (lowered(text.charCodeAt(offset + at)) !== anchor.charCodeAt(at)) return false;
    return true;
  }
}

const pairs = 1 << 14;

/** Seven bits of each; characters that collide only cost a comparison. Setting bit 5 folds the case of letters. */
function pairOf(first: number, second: number): number {
  return (((first | 0x20) & 0x7f) << 7) | ((second | 0x20) & 0x7f);
}

function lowered(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}
