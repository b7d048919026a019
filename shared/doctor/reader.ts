import { FailureBook } from './failures/failureBook';
import { readCutTraceback } from './failures/cutTraceback';
import { diagnosisOf } from './diagnosis';
import { readFinalError } from './failures/finalError';
import { grammars } from './grammars';
import { readPiece } from './failures/piece';
import { AnchorSearch } from './lines/anchors';
import { RepeatFilter } from './lines/repeats';
import { readLines, type LogLine } from './lines/lines';
import { readProcessTable, readProse } from './failures/unfinished';
import type { Diagnosis } from './types';

/** A text up to this size is read whole, which also sees what no anchor points to. */
const wholeCharacters = 64 * 1024;
/** What is read around a line that may belong to a failure: the traceback and the log above it, the rest below. */
const charactersBefore = 16 * 1024;
const charactersAfter = 6 * 1024;
/** A longer run of suspicious lines is read in pieces. */
const longestPiece = 96 * 1024;

const anchors = [
  ...new Set(grammars.filter((grammar) => grammar.role !== 'context').flatMap((grammar) => grammar.anchors)),
];
const search = new AnchorSearch(anchors);
const longestAnchor = search.reach;

interface Piece {
  from: number;
  to: number;
}

/**
 * Reads a log of any size as it comes, in bounded memory: every character is passed once by a search for the few
 * phrases that can belong to a failure, and only their surroundings are parsed.
 */
export class LogReader {
  private readonly book = new FailureBook();
  private readonly repeats = new RepeatFilter();
  /** The text not yet done with, and what may be needed above it. */
  private window = '';
  /** Number of the window's first line, counted from 1. */
  private line = 1;
  private searched = 0;
  private open: Piece | null = null;
  private isWhole = true;

  /** Takes the next part of the text; parts may end anywhere. */
  push(part: string): void {
    this.window += part;
    if (this.isWhole && this.window.length <= wholeCharacters) return;
    this.isWhole = false;
    this.searchTo(this.searchable());
    if (this.open !== null && this.open.to <= this.window.length) this.readOpen();
    this.forget();
  }

  /** The answer, once all parts are in. */
  finish(): Diagnosis {
    if (this.isWhole) this.readWhole();
    else {
      this.searchTo(this.window.length);
      this.readOpen();
      this.addEnd(this.linesAtEnd());
    }
    return diagnosisOf(this.book.cases(), this.lineCount());
  }

  /** A text that ends without a line end has one more line than ends. */
  private lineCount(): number {
    const ends = this.line - 1 + countLineEnds(this.window, 0, this.window.length);
    return this.window === '' || this.window.endsWith('\n') ? ends : ends + 1;
  }

  private readWhole(): void {
    const { cases, lines } = readPiece(this.window, 1, this.book.isNew);
    cases.forEach((it) => this.book.add(it));
    this.addEnd(lines);
    if (this.book.isEmpty()) this.book.add(readProcessTable(this.window, lines) ?? readProse(lines));
  }

  /** Where no message says why the program ended, its last error does, or a traceback that was cut says that one did. */
  private addEnd(lines: readonly LogLine[]): void {
    if (this.book.lacksCause()) this.book.add(readFinalError(lines, this.book.lines()));
    if (this.book.lacksCause()) this.book.add(readCutTraceback(lines));
  }

  /** Whole lines are searched, so that a line is seen once; of a line without end, all but what may be cut. */
  private searchable(): number {
    const end = this.window.lastIndexOf('\n') + 1;
    return this.window.length - end > charactersBefore
      ? Math.max(this.searched, this.window.length - longestAnchor)
      : Math.max(this.searched, end);
  }

  private searchTo(to: number): void {
    search.search(this.window, this.searched, to, (offset) => this.suspect(offset));
    this.searched = to;
  }

  /** Takes the surroundings of a suspicious place into the open piece. Returns where the search goes on. */
  private suspect(offset: number): number {
    if (this.repeats.isWornOut(this.window, offset)) return lineEnd(this.window, offset);
    const from = Math.max(0, offset - charactersBefore);
    const to = offset + charactersAfter;
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
    const number = this.line + countLineEnds(this.window, 0, from);
    const { cases } = readPiece(this.window.slice(from, to), number, this.book.isNew);
    cases.forEach((it) => this.book.add(it));
    this.open = null;
  }

  private forget(): void {
    const keepFrom = lineStart(
      this.window,
      Math.max(0, Math.min(this.open?.from ?? Infinity, this.searched - charactersBefore)),
    );
    if (keepFrom === 0) return;
    this.line += countLineEnds(this.window, 0, keepFrom);
    this.window = this.window.slice(keepFrom);
    this.searched -= keepFrom;
    if (this.open !== null) this.open = { from: this.open.from - keepFrom, to: this.open.to - keepFrom };
    this.repeats.shift(keepFrom);
  }

  private linesAtEnd(): LogLine[] {
    const from = lineStart(this.window, Math.max(0, this.window.length - charactersBefore));
    return readLines(this.window.slice(from), this.line + countLineEnds(this.window, 0, from));
  }
}

/** Reads a text that is at hand as a whole. */
export function diagnose(text: string): Diagnosis {
  const reader = new LogReader();
  for (let from = 0; from < text.length; from += partCharacters)
    reader.push(text.slice(from, from + partCharacters));
  return reader.finish();
}

const partCharacters = 512 * 1024;

/** The start of the line that holds the offset, or the offset where the line began too far above. */
function lineStart(text: string, offset: number): number {
  if (offset <= 0) return 0;
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return offset - start > charactersBefore ? offset : start;
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end;
}

function countLineEnds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
