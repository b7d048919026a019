import { FailureBook } from './failures/failureBook';
import { readCutTraceback } from './failures/cutTraceback';
import { diagnosisOf } from './diagnosis';
import { readMemoryLine } from './failures/memoryLine';
import { readFinalError } from './failures/finalError';
import { grammars } from './grammars';
import { readPiece } from './failures/piece';
import { AnchorSearch } from './lines/anchors';
import { RepeatFilter } from './lines/repeats';
import { readLines, type LogLine } from './lines/lines';
import { countLineFeeds, decodeUtf8, encodeUtf8, lineFeed, startOfLine } from './lines/utf8';
import { readProcessTable, readProse } from './failures/unfinished';
import type { Diagnosis } from './types';

/** A text up to this size is read whole, which also sees what no anchor points to. */
const wholeBytes = 64 * 1024;
/** What is read around a line that may belong to a failure: the traceback and the log above it, the rest below. */
const bytesBefore = 16 * 1024;
const bytesAfter = 6 * 1024;
/** A longer run of suspicious lines is read in pieces. */
const longestPiece = 96 * 1024;

const anchors = [
  ...new Set(grammars.filter((grammar) => grammar.role !== 'context').flatMap((grammar) => grammar.anchors)),
];
/** Made for the first text that is not read whole: its tables take longer than a small text. */
let madeSearch: AnchorSearch | null = null;
function anchorSearch(): AnchorSearch {
  madeSearch ??= new AnchorSearch(anchors);
  return madeSearch;
}

interface Piece {
  from: number;
  to: number;
}

/**
 * Reads a log of any size as it comes, in bounded memory: every byte is passed once by a search for the few phrases
 * that can belong to a failure, and only their surroundings are decoded and parsed.
 */
export class LogReader {
  private readonly book = new FailureBook();
  private readonly repeats = new RepeatFilter();
  /** The bytes not yet done with, and what may be needed above them. */
  private window: Uint8Array = new Uint8Array();
  /** Number of the window's first line, counted from 1. */
  private line = 1;
  private searched = 0;
  private open: Piece | null = null;
  private isWhole = true;

  /** Takes the next part of the text in UTF-8; parts may end anywhere. */
  push(part: Uint8Array): void {
    this.window = joined(this.window, part);
    if (this.isWhole && this.window.length <= wholeBytes) return;
    this.isWhole = false;
    this.searchTo(this.searchable());
    if (this.open !== null && this.open.to <= this.window.length) this.readOpen();
    this.forget();
  }

  /** The answer, once all parts are in. */
  finish(): Diagnosis {
    const count = this.lineCount();
    if (this.isWhole) this.readWhole();
    else {
      // A shell's last word stands between two line ends.
      this.window = joined(this.window, new Uint8Array([lineFeed]));
      this.searchTo(this.window.length);
      this.readOpen();
      const lines = this.linesAtEnd();
      this.addEnd(lines);
      if (this.book.isEmpty()) this.book.add(readMemoryLine(lines));
    }
    return diagnosisOf(this.book.failures(), count);
  }

  /** A text that ends without a line end has one more line than ends. */
  private lineCount(): number {
    const { window } = this;
    const ends = this.line - 1 + countLineFeeds(window, 0, window.length);
    return window.length === 0 || window.at(-1) === lineFeed ? ends : ends + 1;
  }

  private readWhole(): void {
    const text = decodeUtf8(this.window, 0, this.window.length);
    const { failures, lines, dealtWith } = readPiece(text, 1, this.book.isNew);
    failures.forEach((failure) => this.book.add(failure));
    this.addEnd(lines);
    if (this.book.isEmpty()) this.book.add(readProcessTable(text, lines));
    if (this.book.isEmpty() && !dealtWith) this.book.add(readProse(lines) ?? readMemoryLine(lines));
  }

  /** Where no message says why the program ended, its last error does, or a traceback that was cut says that one did. */
  private addEnd(lines: readonly LogLine[]): void {
    if (this.book.lacksCause()) this.book.add(readFinalError(lines, this.book.lines()));
    if (this.book.lacksCause()) this.book.add(readCutTraceback(lines));
  }

  /** Whole lines are searched, so that a line is seen once; of a line without end, all but what may be cut. */
  private searchable(): number {
    const { length } = this.window;
    const end = startOfLine(this.window, length, bytesBefore) ?? length - anchorSearch().reach;
    return Math.max(this.searched, end);
  }

  private searchTo(to: number): void {
    anchorSearch().search(this.window, this.searched, to, (offset) => this.suspect(offset));
    this.searched = to;
  }

  /** Takes the surroundings of a suspicious place into the open piece. Returns where the search goes on. */
  private suspect(offset: number): number {
    if (this.repeats.isWornOut(this.window, offset)) return this.repeats.endOfFlood(this.window, offset);
    const from = Math.max(0, offset - bytesBefore);
    const to = offset + bytesAfter;
    const { open } = this;
    if (open !== null && from <= open.to && to - open.from <= longestPiece) {
      open.to = Math.max(open.to, to);
      return offset;
    }
    const end = open?.to ?? 0;
    this.readOpen();
    // What follows a long piece starts where that one ended, so that no message is read twice.
    this.open = { from: Math.max(from, Math.min(end, lineStart(this.window, offset))), to };
    return offset;
  }

  private readOpen(): void {
    if (this.open === null) return;
    const from = lineStart(this.window, this.open.from);
    const to = Math.min(this.window.length, this.open.to);
    const number = this.line + countLineFeeds(this.window, 0, from);
    const { failures } = readPiece(decodeUtf8(this.window, from, to), number, this.book.isNew);
    failures.forEach((failure) => this.book.add(failure));
    this.open = null;
  }

  private forget(): void {
    const keepFrom = lineStart(
      this.window,
      Math.max(0, Math.min(this.open?.from ?? Infinity, this.searched - bytesBefore)),
    );
    if (keepFrom === 0) return;
    this.line += countLineFeeds(this.window, 0, keepFrom);
    this.window = this.window.subarray(keepFrom);
    this.searched -= keepFrom;
    if (this.open !== null) this.open = { from: this.open.from - keepFrom, to: this.open.to - keepFrom };
    this.repeats.shift(keepFrom);
  }

  private linesAtEnd(): LogLine[] {
    const from = lineStart(this.window, Math.max(0, this.window.length - bytesBefore));
    return readLines(
      decodeUtf8(this.window, from, this.window.length),
      this.line + countLineFeeds(this.window, 0, from),
    );
  }
}

/** Reads a text that is at hand as a whole. */
export function diagnose(text: string): Diagnosis {
  const reader = new LogReader();
  const bytes = encodeUtf8(text);
  for (let from = 0; from < bytes.length; from += partBytes)
    reader.push(bytes.subarray(from, from + partBytes));
  return reader.finish();
}

const partBytes = 512 * 1024;

/** A copy, as whoever read the part may use its memory again. */
function joined(window: Uint8Array, part: Uint8Array): Uint8Array {
  const whole = new Uint8Array(window.length + part.length);
  whole.set(window);
  whole.set(part, window.length);
  return whole;
}

/** The start of the line that holds the offset, or the offset where the line began too far above. */
function lineStart(bytes: Uint8Array, offset: number): number {
  return offset <= 0 ? 0 : (startOfLine(bytes, offset, bytesBefore) ?? offset);
}
