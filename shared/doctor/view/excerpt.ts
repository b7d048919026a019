/** The part of a text that is shown beside its diagnosis. */
export interface Excerpt {
  /** Number of its first line, counted from 1. */
  readonly firstLine: number;
  readonly text: string;
  /** Whether it is the whole text. */
  readonly isWhole: boolean;
}

/** Up to this size a text is shown whole. */
const wholeCharacters = 2_000_000;
const linesBefore = 2_000;
const linesAfter = 1_000;

/**
 * Collects the lines around one line from a text that comes in parts, in bounded memory.
 * @param line the line to show, counted from 1
 */
export class ExcerptCollector {
  private lines: string[] = [];
  private firstLine = 1;
  private pending = '';
  private characters = 0;
  private full = false;

  constructor(private readonly line: number) {}

  push(part: string): void {
    this.characters += part.length;
    if (this.full) return;
    const pieces = (this.pending + part).split('\n');
    const rest = pieces.pop() ?? '';
    this.pending = this.characters > wholeCharacters ? rest.slice(0, longestLine) : rest;
    for (const piece of pieces) this.take(piece);
  }

  finish(): Excerpt {
    if (!this.full && this.pending !== '') this.take(this.pending);
    const isWhole = !this.full && this.firstLine === 1;
    return { firstLine: this.firstLine, text: this.lines.join('\n'), isWhole };
  }

  /** Whether the text goes on and no more of it is wanted. */
  get isFull(): boolean {
    return this.full;
  }

  private take(line: string): void {
    if (this.characters <= wholeCharacters) {
      this.lines.push(line);
      return;
    }
    const number = this.firstLine + this.lines.length;
    if (number > this.line + linesAfter) {
      this.full = true;
      return;
    }
    this.lines.push(line.slice(0, longestLine));
    const surplus = this.lines.length - (linesBefore + linesAfter);
    // Dropped in large pieces: moving a long list for each line would cost more than reading it.
    if (surplus > linesBefore && number <= this.line) {
      this.lines = this.lines.slice(surplus);
      this.firstLine += surplus;
    }
  }
}

/** A line without end (a progress bar of a whole day) is shown by its beginning. */
const longestLine = 4_000;
