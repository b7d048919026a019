import { cleanLine } from './clean';
import { hasSrunLabels, readPrefix } from './prefix';
import { readTime, type LineTime } from './times';

/** A line of the text as a reader would see it; a progress bar's redraws are lines of the same number. */
export interface LogLine {
  /** 1-based, as an editor counts. */
  readonly number: number;
  readonly text: string;
  readonly rank: number | null;
  readonly writer: string;
  readonly time: LineTime | null;
  /** The console broke the line at its width: the next line continues it, perhaps inside a word. */
  readonly continues: boolean;
}

/**
 * Splits a piece of a log into clean lines: carriage returns of progress bars, `\n` spelled out in a quoted message,
 * a rank's prefix in the middle of a line that a progress bar began, and console wraps are all seen through.
 * @param firstLine the number of the piece's first line
 */
export function readLines(piece: string, firstLine: number): LogLine[] {
  const numbered: { number: number; text: string; last: boolean }[] = [];
  piece.split('\n').forEach((raw, index) => {
    const parts = splitVisually(raw);
    parts.forEach((text, part) =>
      numbered.push({ number: firstLine + index, text, last: part === parts.length - 1 }),
    );
  });
  const texts = numbered.map((line) => line.text);
  const labelled = hasSrunLabels(texts);
  const width = consoleWidth(texts);
  const lines: LogLine[] = [];
  for (const { number, text, last } of numbered) {
    const prefixed = readPrefix(text, labelled);
    const above = lines.at(-1);
    // The console wraps behind the prefix, so that the rest of a line comes without one.
    const inherits = above?.continues === true && prefixed.writer === '';
    lines.push({
      number,
      text: prefixed.text,
      rank: inherits ? above.rank : prefixed.rank,
      writer: inherits ? above.writer : prefixed.writer,
      time: readTime(text),
      continues: last && width !== null && text.length === width,
    });
  }
  return lines;
}

function splitVisually(raw: string): string[] {
  const line = cleanLine(raw.endsWith('\r') ? raw.slice(0, -1) : raw);
  if (!/\r|\\n|[^\s]\s*\[rank\d/.test(line)) return [line];
  return line
    .replace(/\b[A-Za-z]:\\[^\s"'|<>]{0,400}|\\n/g, (found) => (found === '\\n' ? '\n' : found))
    .replace(/(\S)\s*(?=\[rank\d{1,5}\]:)/g, '$1\n')
    .split(/[\r\n]+/)
    .filter((part, index) => index === 0 || part !== '');
}

const usualWidths: ReadonlySet<number> = new Set([80, 100, 120, 132, 160]);

/** The width at which a console cut its lines: the longest length, met twice or a usual one; null without wraps. */
function consoleWidth(lines: readonly string[]): number | null {
  let width = 0;
  let met = 0;
  for (const { length } of lines) {
    if (length > width) [width, met] = [length, 1];
    else if (length === width) met += 1;
  }
  return width >= 40 && (met >= 2 || usualWidths.has(width)) ? width : null;
}
