/**
 * LZMA2, the method inside of .xz files: a range decoder with adaptive probabilities over a sliding window. Follows the format's
 * description in the LZMA SDK's specification (https://www.7-zip.org/sdk.html, `lzma-specification.txt`).
 */

/** Data that no encoder wrote. */
export class XzDataError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'XzDataError';
  }
}

const stateCount = 12;
const literalStates = 7;
const posStatesMost = 16;
const lengthCodes = 2 + posStatesMost * 16 + 256;

/** Where each group of probabilities begins. */
const isMatch = 0;
const isRep = isMatch + stateCount * posStatesMost;
const isRepG0 = isRep + stateCount;
const isRepG1 = isRepG0 + stateCount;
const isRepG2 = isRepG1 + stateCount;
const isRep0Long = isRepG2 + stateCount;
const posSlots = isRep0Long + stateCount * posStatesMost;
const posSpecial = posSlots + 4 * 64;
const align = posSpecial + 115;
const matchLength = align + 16;
const repLength = matchLength + lengthCodes;
const literals = repLength + lengthCodes;
/** lc + lp is at most 4. */
const probabilityCount = literals + (0x300 << 4);
const half = 1024;

export class Lzma2Decoder {
  private readonly window: Uint8Array;
  /** Where the next byte goes, and how many of the window mean something. */
  private place = 0;
  private filled = 0;
  private readonly probabilities = new Uint16Array(probabilityCount);
  private state = 0;
  private readonly reps = new Int32Array(4);
  private literalContextBits = 3;
  private literalPositionMask = 0;
  private positionMask = 3;
  private needsDictionary = true;
  private needsState = true;
  private needsProperties = true;

  private input: Uint8Array = new Uint8Array(0);
  private at = 0;
  private end = 0;
  private range = 0;
  private code = 0;

  private output: Uint8Array = new Uint8Array(0);
  private written = 0;
  private total = 0;

  constructor(windowBytes: number) {
    this.window = new Uint8Array(windowBytes);
  }

  /** Whether a chunk may come as it is: the first one sets everything up. */
  begin(control: number): void {
    if (control === 1 || control >= 0xe0) {
      this.needsDictionary = false;
      this.filled = 0;
      this.place = 0;
      this.total = 0;
    } else if (this.needsDictionary) throw new XzDataError('no dictionary');
    if (control < 0x80 && control > 2) throw new XzDataError('unknown chunk');
  }

  /** A chunk that was stored as it is. */
  stored(bytes: Uint8Array): Uint8Array {
    this.output = new Uint8Array(bytes.length);
    this.written = 0;
    for (const byte of bytes) this.put(byte);
    return this.output;
  }

  /**
   * Decodes one chunk.
   * @param properties its byte of lc, lp and pb; null: as before
   * @throws {XzDataError}
   */
  decode(control: number, properties: number | null, bytes: Uint8Array, length: number): Uint8Array {
    if (properties !== null) this.setProperties(properties);
    else if (this.needsProperties) throw new XzDataError('no properties');
    if (control >= 0xa0) this.resetState();
    else if (this.needsState) throw new XzDataError('no state');
    this.input = bytes;
    this.at = 0;
    this.end = bytes.length;
    this.startRange();
    this.output = new Uint8Array(length);
    this.written = 0;
    this.run();
    if (this.code !== 0 || this.at !== this.end) throw new XzDataError('chunk does not end where it should');
    return this.output;
  }

  private setProperties(properties: number): void {
    const contextBits = properties % 9;
    const rest = Math.floor(properties / 9);
    const positionBits = Math.floor(rest / 5);
    if (properties >= 225 || contextBits + (rest % 5) > 4) throw new XzDataError('properties');
    this.literalContextBits = contextBits;
    this.literalPositionMask = (1 << (rest % 5)) - 1;
    this.positionMask = (1 << positionBits) - 1;
    this.needsProperties = false;
  }

  private resetState(): void {
    this.state = 0;
    this.reps.fill(0);
    this.probabilities.fill(half);
    this.needsState = false;
  }

  private startRange(): void {
    if (this.end < 5 || this.input[0] !== 0) throw new XzDataError('range coder');
    this.range = -1;
    this.code = 0;
    for (this.at = 1; this.at < 5; this.at++) this.code = (this.code << 8) | (this.input[this.at] ?? 0);
  }

  private put(byte: number): void {
    this.output[this.written++] = byte;
    this.window[this.place++] = byte;
    if (this.place === this.window.length) this.place = 0;
    if (this.filled < this.window.length) this.filled++;
    this.total++;
  }

  private run(): void {
    const { output, probabilities, reps } = this;
    while (this.written < output.length) {
      const position = this.total & this.positionMask;
      if (this.bit(probabilities, isMatch + this.state * posStatesMost + position) === 0) {
        this.literal();
        continue;
      }
      let length: number;
      if (this.bit(probabilities, isRep + this.state) === 0) {
        reps.copyWithin(1, 0, 3);
        length = this.length(matchLength, position);
        this.state = this.state < literalStates ? 7 : 10;
        reps[0] = this.distance(length);
      } else {
        const isShort = this.repeated(position);
        length = isShort ? 1 : this.length(repLength, position);
        this.state = this.state < literalStates ? (isShort ? 9 : 8) : 11;
      }
      this.copy(reps[0] ?? 0, length);
    }
    this.normalise();
  }

  /** Which of the last four distances is used again; true: for a single byte. */
  private repeated(position: number): boolean {
    const { probabilities, reps, state } = this;
    if (this.bit(probabilities, isRepG0 + state) === 0)
      return this.bit(probabilities, isRep0Long + state * posStatesMost + position) === 0;
    let distance: number;
    if (this.bit(probabilities, isRepG1 + state) === 0) distance = reps[1] ?? 0;
    else {
      if (this.bit(probabilities, isRepG2 + state) === 0) distance = reps[2] ?? 0;
      else {
        distance = reps[3] ?? 0;
        reps[3] = reps[2] ?? 0;
      }
      reps[2] = reps[1] ?? 0;
    }
    reps[1] = reps[0] ?? 0;
    reps[0] = distance;
    return false;
  }

  private literal(): void {
    const { literalContextBits, probabilities, window } = this;
    const previous =
      this.filled === 0 ? 0 : (window[(this.place === 0 ? window.length : this.place) - 1] ?? 0);
    const context =
      ((this.total & this.literalPositionMask) << literalContextBits) +
      (previous >> (8 - literalContextBits));
    const base = literals + 0x300 * context;
    let symbol = 1;
    if (this.state >= literalStates) {
      let match = this.byteBack(this.reps[0] ?? 0);
      while (symbol < 0x100) {
        const matchBit = (match >> 7) & 1;
        match <<= 1;
        const bit = this.bit(probabilities, base + ((1 + matchBit) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (bit !== matchBit) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.bit(probabilities, base + symbol);
    this.put(symbol & 0xff);
    this.state = this.state < 4 ? 0 : this.state < 10 ? this.state - 3 : this.state - 6;
  }

  private length(base: number, position: number): number {
    const { probabilities } = this;
    if (this.bit(probabilities, base) === 0) return 2 + this.tree(base + 2 + position * 8, 3);
    if (this.bit(probabilities, base + 1) === 0)
      return 10 + this.tree(base + 2 + posStatesMost * 8 + position * 8, 3);
    return 18 + this.tree(base + 2 + posStatesMost * 16, 8);
  }

  private distance(length: number): number {
    const slot = this.tree(posSlots + Math.min(length - 2, 3) * 64, 6);
    if (slot < 4) return slot;
    const directBits = (slot >> 1) - 1;
    const distance = (2 | (slot & 1)) << directBits;
    if (slot < 14) return distance + this.reverseTree(posSpecial + distance - slot, directBits);
    return distance + (this.directBits(directBits - 4) << 4) + this.reverseTree(align, 4);
  }

  private copy(distance: number, length: number): void {
    if (distance < 0 || distance >= this.filled) throw new XzDataError('distance');
    if (this.written + length > this.output.length) throw new XzDataError('length');
    const { window } = this;
    let from = this.place - distance - 1;
    if (from < 0) from += window.length;
    for (let index = 0; index < length; index++) {
      this.put(window[from++] ?? 0);
      if (from === window.length) from = 0;
    }
  }

  private byteBack(distance: number): number {
    if (distance < 0 || distance >= this.filled) throw new XzDataError('distance');
    const from = this.place - distance - 1;
    return this.window[from < 0 ? from + this.window.length : from] ?? 0;
  }

  private normalise(): void {
    if (this.range >>> 24 !== 0) return;
    this.range <<= 8;
    this.code = (this.code << 8) | (this.input[this.at++] ?? 0);
    if (this.at > this.end) throw new XzDataError('chunk is too short');
  }

  private bit(probabilities: Uint16Array, index: number): 0 | 1 {
    if (this.range >>> 24 === 0) this.normalise();
    const probability = probabilities[index] ?? half;
    const bound = (this.range >>> 11) * probability;
    if (this.code >>> 0 < bound) {
      this.range = bound | 0;
      probabilities[index] = probability + ((2048 - probability) >> 5);
      return 0;
    }
    this.range = (this.range - bound) | 0;
    this.code = (this.code - bound) | 0;
    probabilities[index] = probability - (probability >> 5);
    return 1;
  }

  private tree(base: number, bits: number): number {
    let symbol = 1;
    for (let index = 0; index < bits; index++)
      symbol = (symbol << 1) | this.bit(this.probabilities, base + symbol);
    return symbol - (1 << bits);
  }

  private reverseTree(base: number, bits: number): number {
    let [symbol, value] = [1, 0];
    for (let index = 0; index < bits; index++) {
      const bit = this.bit(this.probabilities, base + symbol);
      symbol = (symbol << 1) | bit;
      value |= bit << index;
    }
    return value;
  }

  private directBits(count: number): number {
    let value = 0;
    for (let index = 0; index < count; index++) {
      this.normalise();
      this.range >>>= 1;
      const isSet = this.code >>> 0 >= this.range >>> 0;
      if (isSet) this.code = (this.code - this.range) | 0;
      value = (value << 1) | (isSet ? 1 : 0);
    }
    return value;
  }
}
