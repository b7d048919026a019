import { bareFailure } from './bareFailure';
import type { ReadFailure } from './readFailure';
import { surroundings } from '../lines/context';
import { isFence, unwrapped, type LogLine } from '../lines/lines';
import {
  classAtHead,
  comesFromLauncher,
  isFrame,
  isInsideTraceback,
  startsTraceback,
} from '../lines/traceback';

/**
 * A traceback of which the text does not show the end: something was raised and nothing says what. Ranks that write
 * into one log and progress bars may go on behind it; a launcher's own tells nothing. Null where every traceback ends with what was raised.
 */
export function readCutTraceback(lines: readonly LogLine[]): ReadFailure | null {
  const whole = unwrapped(lines).filter(({ text }) => !isFence(text));
  const writers = [...new Set(whole.map((line) => line.writer))];
  const [first] = writers
    .flatMap((writer) => cutAtEndOf(whole.filter((line) => line.writer === writer)) ?? [])
    .sort((a, b) => a.last.number - b.last.number);
  if (first === undefined) return null;
  const { head, last } = first;
  const at = lines.findLastIndex((line) => line.number === last.number);
  const around = surroundings(lines, at, at, last.writer);
  if (head !== null && classAtHead(head.text)?.endsWith('OutOfMemoryError') === true)
    return bareFailure('error-out-of-memory', 'gpu-oom', 'oom', head, around);
  return bareFailure('traceback-cut', 'traceback', 'other', last, around);
}

interface CutTraceback {
  /** The line with which it begins; null where that is cut off too. */
  readonly head: LogLine | null;
  readonly last: LogLine;
}

/** Without a first line, frames count where they are the last that stands. */
const mostFrameLines = 40;

/** One writer's traceback that nothing ends; null where there is none. */
function cutAtEndOf(own: readonly LogLine[]): CutTraceback | null {
  const start = own.findLastIndex(({ text }) => startsTraceback(text));
  const told = (start >= 0 ? own.slice(start) : own.slice(-mostFrameLines)).filter(
    ({ text }) => !bystander.test(text) || startsTraceback(text),
  );
  const isInside = ({ text }: LogLine): boolean => startsTraceback(text) || isInsideTraceback(text);
  const outside = told.findLastIndex((line) => !isInside(line));
  const end = start < 0 || outside < 0 ? told : withoutRemark(told);
  if (start >= 0 ? end.some((line) => !isInside(line)) : outside === told.length - 1) return null;
  const last = end.findLast(({ text }) => text.trim() !== '');
  const shown = start >= 0 ? end : end.slice(outside + 1);
  if (shown.some(({ text }) => comesFromLauncher(text))) return null;
  if (last === undefined || !shown.some(({ text }) => isFrame(text) || startsTraceback(text))) return null;
  return { head: own[start] ?? null, last };
}

/** What others print while a traceback is written: bars, metrics, launchers. */
const bystander =
  /\d{1,3}%\||\d(?:it|batch\w*)\/s\b|\ds\/it\b|^\{'\w+': |\b(?:step|iter|epoch)\W{1,3}\d.*\bloss\b|closing signal SIG/i;

/** A person's question or a shell's prompt below a traceback that was cut. */
function withoutRemark(block: readonly LogLine[]): readonly LogLine[] {
  const end = block.findIndex(({ text }, index) => index > 0 && !isInsideTraceback(text));
  const below = block[end]?.text ?? '';
  const isRemark = prompt.test(below) || (block[end - 1]?.text.trim() === '' && !raisedLine.test(below));
  return end < 0 || !isRemark ? block : block.slice(0, end);
}

const raisedLine = /^(?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt|Exit|Warning)\b(?! +Traceback)/;
const prompt = /^(?:\([\w.-]{1,40}\) ?)?[\w.-]{1,40}@[\w.-]{1,60}[: ].{0,120}[$#]|^PS [A-Z]:\\/;
