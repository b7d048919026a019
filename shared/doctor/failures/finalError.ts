import type { Format } from '../format';
import { bareFailure } from './bareFailure';
import { cutMessageOf } from './cutMessage';
import { memoryFailure, memoryWordsOf } from './memoryLine';
import type { ReadFailure } from './readFailure';
import { surroundings } from '../lines/context';
import { unwrapped, type LogLine } from '../lines/lines';
import { comesFromLauncher, isInsideTraceback, isRaised, startsTraceback } from '../lines/traceback';

/**
 * The error with which a program ended, where no grammar knows it: the last line of a traceback that nothing of the
 * same writer goes on behind. Null where the text shows no such end.
 *
 * An error that was met while another was handled only follows from it, so of one chain the first counts; of several
 * ranks the one that stands first. What launchers say of their workers is used only where no worker says anything.
 * @param told numbers of the lines of messages that were read: what stands there is known already
 */
export function readFinalError(lines: readonly LogLine[], told: ReadonlySet<number>): ReadFailure | null {
  const whole = unwrapped(lines);
  const writers = [...new Set(whole.map((line) => line.writer))];
  const ends = writers.flatMap((writer) => endOf(whole.filter((line) => line.writer === writer)) ?? []);
  const isTold = ({ line }: End): boolean => {
    const next = whole[whole.indexOf(line) + 1]?.number ?? Infinity;
    return [...told].some((number) => number >= line.number && (number < next || number === line.number));
  };
  if (ends.some(isTold)) return null;
  const own = ends.filter((end) => !end.isLaunchers);
  const [first] = (own.length > 0 ? own : ends).sort((a, b) => a.line.number - b.line.number);
  // A launcher's word adds nothing to a message that was read.
  if (first === undefined || (first.isLaunchers && told.size > 0)) return null;
  const at = lines.findIndex(
    (line) => line.number === first.line.number && line.writer === first.line.writer,
  );
  const around = surroundings(lines, at, at, first.line.writer);
  if (outOfMemory.test(first.line.text))
    return bareFailure('error-out-of-memory', 'gpu-oom', 'oom', first.line, around);
  const last = whole.findLast(({ text }) => text.trim() !== '');
  const cut = last?.writer === first.line.writer ? cutMessageOf(last.text) : null;
  if (last !== undefined && cut !== null) {
    const lastAt = lines.findIndex(({ number, writer }) => number === last.number && writer === last.writer);
    return memoryFailure(last, cut, lines, lastAt);
  }
  const format = formatOf(first);
  const words = format === 'python-error' ? memoryWordsOf(first.line.text) : null;
  if (words !== null) return memoryFailure(first.line, words, lines, at);
  return bareFailure(format, 'program-error', 'other', first.line, around);
}

/** An error of a library that no grammar knows and that says, without a number, that there is no memory. */
const outOfMemory = /\bout of memory\b|\bOOM\b|显存不足|内存不足/i;

interface End {
  readonly line: LogLine;
  /** Index among the lines of its writer. */
  readonly index: number;
  readonly isLaunchers: boolean;
}

/** What a job prints that goes on. */
const goesOn = /\bloss\W{1,4}\d|^\s*\d{1,3}%\|.*\]\s*$/i;
/** A launcher and the stacks of C++ say at most so much behind the last error. */
const mostLinesBehind = 80;

/** How one writer's lines end; null where they do not end in an error. */
function endOf(own: readonly LogLine[]): End | null {
  const ends =
    [raisedIn(own), abortedIn(own), statedAlone(own), saidByLauncher(own)].find(
      (found) => found.length > 0,
    ) ?? [];
  const last = ends.at(-1);
  if (last === undefined || own.length - last.index > mostLinesBehind) return null;
  const progress = own.flatMap(({ text }, index) => (goesOn.test(text) ? [index] : []));
  if (progress.some((index) => index > last.index)) return null;
  // What was handled before the last progress is not what the program ended with.
  const chain = ends.filter(({ index }) => index > (progress.at(-1) ?? -1));
  return chain.find((end) => !end.isLaunchers) ?? chain[0] ?? null;
}

function isOfLauncher(text: string): boolean {
  return comesFromLauncher(text) || launcherSays.test(text);
}

/** The last lines of all tracebacks. */
function raisedIn(own: readonly LogLine[]): End[] {
  const ends: End[] = [];
  let isOpen = false;
  let isLaunchers = false;
  for (const [index, line] of own.entries()) {
    const isStart = startsTraceback(line.text);
    isLaunchers = !isStart && (isLaunchers || isOfLauncher(line.text));
    isOpen ||= isStart;
    if (!isOpen || isStart || isInsideTraceback(line.text)) continue;
    isOpen = false;
    if (isRaised(line.text)) ends.push({ line, index, isLaunchers });
  }
  return ends;
}

const aborted = /\bterminate called after throwing an instance of\b/;

/** Where C++ ended the process: what it threw says on the next line what it is. */
function abortedIn(own: readonly LogLine[]): End[] {
  const index = own.findIndex(({ text }) => aborted.test(text));
  if (index < 0) return [];
  const saysWhat = /^\s*what\(\):/.test(own[index + 1]?.text ?? '');
  return endsAt(own, saysWhat ? index + 1 : index);
}

/** A text this short may be what a person pasted: the error without its traceback. */
const shortText = 8;
const stated = /^(?:[A-Za-z_]\w{0,60}\.){0,8}\w{0,80}(?:Error|Exception): \S/;

function statedAlone(own: readonly LogLine[]): End[] {
  return own.length > shortText
    ? []
    : endsAt(
        own,
        own.findIndex(({ text }) => stated.test(text)),
      );
}

/** A launcher's word for how a rank ended; 0 is a good end. */
const launcherSays =
  /\bfailed \(exitcode: -?[1-9]\d*\)|^\s*exitcode\s*: -?[1-9]\d* \(pid|exits with return code = -?[1-9]/;

function saidByLauncher(own: readonly LogLine[]): End[] {
  return endsAt(
    own,
    own.findLastIndex(({ text }) => launcherSays.test(text)),
  );
}

function endsAt(own: readonly LogLine[], index: number): End[] {
  const line = own[index];
  return line === undefined ? [] : [{ line, index, isLaunchers: isOfLauncher(line.text) }];
}

/** What was raised, where its class alone says what it means. */
function formatOf({ line, isLaunchers }: End): Format {
  const known = classes.find(({ pattern }) => pattern.test(line.text))?.format;
  return known ?? (isLaunchers ? 'worker-failed' : 'python-error');
}

const classes: readonly { readonly format: Format; readonly pattern: RegExp }[] = [
  {
    format: 'interrupted',
    pattern:
      /^KeyboardInterrupt\b|killed by signal: Terminated|SignalException\b|got signal: \d|(?:exitcode\s*:|return code =) -(?:1|2|15)\b/,
  },
  { format: 'cuda-error', pattern: /\b(?:CUDA|HIP) (?:unknown )?error\b/i },
  { format: 'import-failed', pattern: /^(?:ModuleNotFoundError|ImportError)\b|undefined symbol/ },
  { format: 'not-permitted', pattern: /^PermissionError\b|\[Errno 13\]/ },
  { format: 'file-missing', pattern: /^FileNotFoundError\b|\[Errno 2\]/ },
];
