import { encodeUtf8 } from './utf8';

/**
 * Finds any of many literal texts in UTF-8 bytes in one pass that skips most of them (Wu and Manber 1994: a table of how
 * far the window may move, by the block of bytes at its end). ASCII letters match in either case. Bytes, because a log
 * of gigabytes is searched before any of it is worth decoding.
 */
export class AnchorSearch {
  private readonly anchors: readonly Uint8Array[];
  private readonly windowLength: number;
  private readonly shifts: Uint8Array;
  /** For each block, the first anchor whose window ends with it; `next` chains the others. -1 ends. */
  private readonly first: Int16Array;
  private readonly next: Int16Array;
  /** Where in each anchor its window begins. */
  private readonly windowStarts: readonly number[];

  /** @param texts with ASCII letters in lower case, of at least four bytes each; the longer the shortest is, the faster the search */
  constructor(texts: readonly string[]) {
    this.anchors = texts.map(encodeUtf8);
    this.windowLength = Math.min(...this.anchors.map((anchor) => anchor.length));
    if (!(this.windowLength > blockLength)) throw new RangeError('An anchor needs more bytes than a block');
    this.shifts = new Uint8Array(blocks).fill(this.windowLength - blockLength + 1);
    this.first = new Int16Array(blocks).fill(-1);
    this.next = new Int16Array(texts.length).fill(-1);
    this.windowStarts = this.anchors.map((anchor) => rarestWindow(anchor, this.windowLength));
    this.anchors.forEach((anchor, index) => this.enter(anchor, this.windowStarts[index] ?? 0, index));
  }

  private enter(anchor: Uint8Array, start: number, index: number): void {
    for (let end = blockLength - 1; end < this.windowLength; end += 1) {
      const at = start + end;
      const block = blockOf(anchor[at - 2] ?? 0, anchor[at - 1] ?? 0, anchor[at] ?? 0);
      const shift = this.windowLength - 1 - end;
      if (shift < (this.shifts[block] ?? 0)) this.shifts[block] = shift;
      if (shift > 0) continue;
      this.next[index] = this.first[block] ?? -1;
      this.first[block] = index;
    }
  }

  /** The bytes of the longest anchor: what must be at hand behind an offset before it can be searched. */
  get reach(): number {
    return Math.max(...this.anchors.map((anchor) => anchor.length));
  }

  /**
   * Calls `found` with the beginning of each anchor whose window begins at `from` or later and before `to` and that is
   * whole in the bytes, in the order of the windows. It returns the offset from which to go on; anything up to the
   * window's own is the next byte.
   */
  search(
    bytes: Uint8Array,
    from: number,
    to: number,
    found: (offset: number, anchor: number) => number,
  ): void {
    const { shifts, windowLength } = this;
    // One load of four bytes, and no check for a missing element: twice as fast as three of an array.
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const last = Math.min(bytes.length - 1, to + windowLength - 2);
    let end = from + windowLength - 1;
    while (end <= last) {
      const block = hashed(view.getUint32(end - blockLength, true) >>> 8);
      const shift = shifts[block] ?? 0;
      if (shift > 0) {
        end += shift;
        continue;
      }
      const offset = end - windowLength + 1;
      let goOnAt = offset + 1;
      for (let index = this.first[block] ?? -1; index >= 0; index = this.next[index] ?? -1) {
        const start = offset - (this.windowStarts[index] ?? 0);
        if (this.stands(index, bytes, start)) goOnAt = Math.max(goOnAt, found(start, index));
      }
      end = goOnAt + windowLength - 1;
    }
  }

  private stands(index: number, bytes: Uint8Array, offset: number): boolean {
    const anchor = this.anchors[index];
    if (anchor === undefined || offset < 0 || offset + anchor.length > bytes.length) return false;
    for (let at = 0; at < anchor.length; at += 1)
      if (lowered(bytes[offset + at] ?? 0) !== anchor[at]) return false;
    return true;
  }
}

/**
 * The part of an anchor to look for: the one with the fewest blocks that logs are full of, so that the window moves
 * far over them ("memory", "allocated" and "loading" stand in every line of a run that is well).
 */
function rarestWindow(anchor: Uint8Array, length: number): number {
  let best = 0;
  let fewest = Infinity;
  for (let start = 0; start + length <= anchor.length; start += 1) {
    let common = 0;
    for (let end = blockLength - 1; end < length; end += 1) {
      const at = start + end;
      const block = blockOf(anchor[at - 2] ?? 0, anchor[at - 1] ?? 0, anchor[at] ?? 0);
      // A block at the window's end stops the search, one before it only shortens the step.
      if (commonBlocks.has(block)) common += end === length - 1 ? 4 : 1;
    }
    if (common < fewest) [best, fewest] = [start, common];
  }
  return best;
}

const blockLength = 3;
const blocks = 1 << 16;

/** A hash of three bytes, letters of either case alike; blocks that collide only cost a comparison. */
function blockOf(first: number, second: number, third: number): number {
  return hashed(first | (second << 8) | (third << 16));
}

/** Knuth's multiplicative hash (TAOCP 6.4) of three bytes in one number, the first lowest. */
function hashed(threeBytes: number): number {
  return Math.imul(threeBytes | 0x202020, 0x9e3779b1) >>> 16;
}

function lowered(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

/** Words of which the lines of a healthy run consist. */
const usualWords =
  ' memory allocated reserved cached free total used gib mib step steps epoch iter iteration loss grad norm learning rate lr=0.00 train training eval evaluation validation test batch size model loading checkpoint shards saving saved samples/s tokens/s it/s info warning debug rank gpu cuda device process worker started finished completed running data dataset time eta elapsed throughput accuracy global local 00:00<00:00, 2024-01-01 12:34:56,789 - torch python version using with for from the and of in to at is';
const commonBlocks: ReadonlySet<number> = blocksOf(encodeUtf8(usualWords));

function blocksOf(bytes: Uint8Array): ReadonlySet<number> {
  const found = new Set<number>();
  for (let at = 2; at < bytes.length; at += 1)
    found.add(blockOf(bytes[at - 2] ?? 0, bytes[at - 1] ?? 0, bytes[at] ?? 0));
  return found;
}
