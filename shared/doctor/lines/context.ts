import { unwrapped, type LogLine } from './lines';

/** The lines around a message, for what they tell of the moment; each as one text with line ends. */
export interface LineSurroundings {
  /** Stack frames: the traceback that ends in the message, or the one that a logger printed after it. */
  readonly frames: string;
  readonly before: string;
  readonly message: string;
  readonly after: string;
  /** Lines of all writers around it, each behind its tag where the system's log gave it one: who speaks in this log. */
  readonly near: string;
}

const linesBefore = 150;
const linesAfter = 40;
const charactersBefore = 12_000;
const charactersAfter = 4_000;

/**
 * @param lines every line of the piece, all writers, in order
 * @param first index in `lines` of the message's first line
 * @param last index of its last line
 * @param writer whose message it is; other writers' lines are only `near`
 */
export function surroundings(
  lines: readonly LogLine[],
  first: number,
  last: number,
  writer: string,
): LineSurroundings {
  let start = Math.max(0, first);
  while (start > 0 && (lines[start - 1]?.joint ?? null) !== null) start -= 1;
  const end = Math.max(start, last) + 1;
  const earlier = lines.slice(Math.max(0, start - 4 * linesBefore), start);
  const later = lines.slice(end, end + 4 * linesAfter);
  const own = (line: LogLine): boolean => line.writer === writer || line.writer === '' || writer === '';
  const before = unwrapped(lastCharacters(earlier.filter(own).slice(-linesBefore), charactersBefore));
  const after = unwrapped(firstCharacters(later.filter(own).slice(0, linesAfter), charactersAfter));
  const message = text(lines.slice(start, end));
  return {
    frames: `${framesBefore(before)}\n${message}\n${framesAfter(after)}`,
    before: text(before),
    message,
    after: text(after),
    near: [
      lastCharacters(earlier, charactersBefore),
      lines.slice(start, end),
      firstCharacters(later, charactersAfter),
    ]
      .map((part) => part.map(({ preface, text: own }) => `${tagOf(preface)}${own}\n`).join(''))
      .join('\n'),
  };
}

/** In the system's log the program's own name stands before its number: `ollama[4242]: `. */
const tag = /(?:^| )([A-Za-z][\w.-]{0,40}\[\d{1,9}\]): ?$/;
function tagOf(preface: string): string {
  const name = tag.exec(preface)?.[1];
  return name === undefined ? '' : `${name}: `;
}

/** Wraps are undone here too, so that a frame's name is whole. */
function text(lines: readonly LogLine[]): string {
  return unwrapped(lines)
    .map((line) => `${line.text}\n`)
    .join('');
}

const tracebackStart = /Traceback \(most recent call last\)|^─* ?Traceback|Original Traceback/;
const frameLine =
  /^\s*File ["']|^\s{2,}\S|^\s*[❱>]|^\s*-{2,4}>|\.(?:py|cpp|cu)\b.{0,12}:?\d+|^\s*\^+\s*$|^Traceback|^\s*$/;

function framesBefore(before: readonly LogLine[]): string {
  const start = before.findLastIndex((line) => tracebackStart.test(line.text));
  if (start >= 0) return text(before.slice(start));
  return text(before.slice(-60).filter((line) => frameLine.test(line.text)));
}

function framesAfter(after: readonly LogLine[]): string {
  const end = after.findIndex((line) => !frameLine.test(line.text));
  return text(end < 0 ? after : after.slice(0, end));
}

function lastCharacters(lines: readonly LogLine[], limit: number): readonly LogLine[] {
  let length = 0;
  let from = lines.length;
  while (from > 0 && length < limit) {
    from -= 1;
    length += (lines[from]?.text.length ?? 0) + 1;
  }
  return lines.slice(from);
}

function firstCharacters(lines: readonly LogLine[], limit: number): readonly LogLine[] {
  let length = 0;
  let to = 0;
  while (to < lines.length && length < limit) {
    length += (lines[to]?.text.length ?? 0) + 1;
    to += 1;
  }
  return lines.slice(0, to);
}
