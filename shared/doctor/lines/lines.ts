import { cleanLine } from './clean';
import { labelOf } from './labels';
import { unpackLine } from './packed';
import { readPrefix } from './prefix';
import { readTime, type LineTime } from './times';

/** A line of the text as a reader would see it; a progress bar's redraws are lines of the same number. */
export interface LogLine {
  /** 1-based, as an editor counts. */
  readonly number: number;
  readonly text: string;
  /** What launchers, loggers and quoting had put before it. */
  readonly preface: string;
  readonly rank: number | null;
  readonly writer: string;
  readonly time: LineTime | null;
  /** What the next line goes on behind, where this one was wrapped: nothing (a console's cut) or a space; else null. */
  readonly joint: '' | ' ' | null;
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
  const padded = numbered.filter((line) => line.text.endsWith('  ')).length > numbered.length / 2;
  // A terminal's screen is copied with the blanks up to its edge.
  if (padded) for (const line of numbered) line.text = line.text.trimEnd();
  const texts = numbered.map((line) => line.text);
  const label = labelOf(texts);
  const width = consoleWidth(texts);
  const isFilled = wordWrap(texts);
  const lines: LogLine[] = [];
  for (const [index, { number, text, last }] of numbered.entries()) {
    const prefixed = readPrefix(text, label);
    const above = lines.at(-1);
    // The console wraps behind the prefix, so that the rest of a line comes without one.
    const inherits =
      above !== undefined && above.joint !== null && prefixed.writer === '' && !beginsText.test(text);
    // Lines of one length that each carry a prefix, or begin a text, are as long as each other, not wrapped.
    if (above !== undefined && above.joint !== null && !inherits)
      lines.splice(-1, 1, { ...above, joint: null });
    lines.push({
      number,
      text: prefixed.text,
      preface: prefixed.preface,
      rank: inherits ? above.rank : prefixed.rank,
      writer: inherits ? above.writer : prefixed.writer,
      time: readTime(text),
      joint: !last ? null : width !== null && text.length === width ? '' : isFilled(index) ? ' ' : null,
    });
  }
  return lines;
}

const beginsText = /^Traceback \(most recent call last\)/;

function splitVisually(raw: string): string[] {
  const shown = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
  const unpacked = unpackLine(shown);
  return unpacked === shown
    ? splitLine(cleanLine(shown))
    : unpacked.split('\n').flatMap((part) => splitLine(cleanLine(part)));
}

function splitLine(line: string): string[] {
  if (!/\r|\\n|[^\s]\s*\[rank\d|\d{1,3}%\|/.test(line)) return [line];
  return line
    .replace(/\b[A-Za-z]:\\[^\s"'|<>]{0,400}|\\n/g, (found) => (found === '\\n' ? '\n' : found))
    .replace(/(\S)\s*(?=\[rank\d{1,5}\]:)/g, '$1\n')
    .replace(barBeforeText, '$1\n')
    .split(/[\r\n]+/)
    .filter((part, index) => index === 0 || part !== '');
}

/** tqdm leaves the cursor behind its bar, so that a message goes on there. */
const barBeforeText = /(\d{1,3}%\|[^|]{0,200}\| {0,8}\d[^[\]]{0,40}\[[^[\]]{0,120}\])(?=[^\s\r\n])/g;

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

/** A mail client or an issue form wraps text at words: then many lines are so full that the next word found no room. */
const widestWrap = 120;
const narrowestWrap = 40;
const leastFilled = 4;
const leastFilledShare = 0.25;
/** Of a few lines, so many. */
const shortTextShare = 0.6;

/** Whether a line is one that was wrapped at a word, by its index; nowhere in a text that does not look wrapped. */
function wordWrap(lines: readonly string[]): (index: number) => boolean {
  // A word that is longer than the width stands alone.
  const width = lines.reduce(
    (longest, line) => (/\S\s+\S/.test(line) ? Math.max(longest, line.trimEnd().length) : longest),
    0,
  );
  if (width > widestWrap || width < narrowestWrap) return () => false;
  const isFilled = (index: number): boolean => {
    const line = lines[index]?.trimEnd() ?? '';
    const next = lines[index + 1] ?? '';
    if (line === '' || next.trim() === '') return false;
    return line.length + 1 + (/^\S*/.exec(next)?.[0].length ?? 0) > width;
  };
  const filled = lines.filter((_line, index) => isFilled(index)).length;
  const written = lines.filter((line) => line.trim() !== '').length;
  const share = filled >= leastFilled ? leastFilledShare : shortTextShare;
  return filled >= 2 && filled >= share * written ? isFilled : () => false;
}

/** The lines as they were before they were wrapped; each keeps the number of its first part. */
export function unwrapped(lines: readonly LogLine[]): LogLine[] {
  const whole: LogLine[] = [];
  let open: LogLine | null = null;
  for (const line of lines) {
    const next: LogLine =
      open === null
        ? line
        : { ...line, ...open, text: `${open.text}${open.joint ?? ''}${line.text}`, joint: line.joint };
    open = line.joint === null ? null : next;
    if (open === null) whole.push(next);
  }
  return open === null ? whole : [...whole, open];
}

/** Whether a line sets a code block of Markdown apart. */
export function isFence(text: string): boolean {
  return /^\s*(?:```|~~~)/.test(text);
}
