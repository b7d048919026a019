import { isNarration } from '../events/narration';
import { talksOfIt } from '../events/statement';
import { surroundings } from '../lines/context';
import { unwrapped, type LogLine } from '../lines/lines';
import { isInsideTraceback, startsTraceback } from '../lines/traceback';
import type { Format } from '../format';
import { bareFailure } from './bareFailure';
import { cutMessageOf, type MemoryWords } from './cutMessage';
import { isDealtWith } from './recovery';
import type { ReadFailure } from './readFailure';

/*
 * Errors about memory or a card in words that no grammar knows: what they are is told by the words they use, and no more
 * than that.
 */

/** Says that there was too little: the nouns decide of what. */
const tooLittle =
  /_OUT_OF_|\bout[- ]of[- ](?:\w+ ){0,2}(?:memory|mem|vram|ram|resources?)\b|OutOfMemory|OutOfResource|\bOOM\b|\binsufficient\b|\bnot enough\b|\bno(?:t| more)? (?:sufficient|available|free) |\black of\b|\bran? out of\b|\bexhaust\w*|\bexceed\w*|\b(?:larger|greater|more|bigger) than\b.{0,40}\b(?:available|free|capacity|maximum|limit)|\b(?:cannot|can't|can not|could not|couldn't|unable to|failed to|fail to)\b.{0,30}\b(?:allocat\w*|reserve|malloc|mmap|map|fit)\b|\balloc\w*\b.{0,30}\b(?:fail\w*|error|refused)\b|\b(?:fail\w*|error)\b.{0,30}\balloc\w*\b|\btoo (?:low|small|little)\b|\bdoes ?n[o']t fit\b|\bkilled\b|不足|溢出|耗尽|超出/i;
const ofCard =
  /\b(?:GPU|CUDA|HIP|ROCm|XPU|NPU|TPU|MPS|Metal|VRAM|HBM|device|card|cuda|nvidia|tensor|video|graphics|DRM|Vulkan|OpenCL|accelerator)\w{0,12}\b|显存|显卡|OutOfMemoryError/i;
const ofSharedMemory = /\bshm\b|\/dev\/shm|shared[- ]memory segment|\bshmget\b|\bshm_open\b/i;
const ofHost =
  /\b(?:RAM|host|system|main|virtual|physical|swap|heap|cpu|page ?file|paging|cgroup|node|process|worker|killed|mmap|malloc)\b|cannot allocate memory|内存/i;
const namesIt =
  /\b(?:memory|RAM|VRAM|GPU|CUDA|HIP|XPU|NPU|TPU|MPS|Metal|shm|OOM|killed|device|HBM|swap|mmap)\b|alloc|_OUT_OF_|OutOfMemory|ResourceExhausted|显存|内存/i;

/** What a line of an error is about; null where it names neither memory nor a card. */
export function memoryWordsOf(text: string): MemoryWords | null {
  if (!namesIt.test(text)) return null;
  if (ofSharedMemory.test(text) && tooLittle.test(text)) return { kind: 'shm', story: 'shm' };
  if (!tooLittle.test(text)) return { kind: 'other', story: 'memory-line' };
  if (ofCard.test(text) && !/\b(?:RAM|host|system|main|virtual|physical|CPU) memory\b/i.test(text))
    return { kind: 'oom', story: 'gpu-oom' };
  return ofHost.test(text) ? { kind: 'host-oom', story: 'host-oom' } : { kind: 'oom', story: 'gpu-oom' };
}

/** How a line says that it is about something that went wrong: a class, a level, or a verb at its beginning. */
const severe =
  /^\s*(?:[A-Za-z_]\w{0,60}[.:]{1,2}){0,8}\w{0,60}(?:Error|Exception|Failure|Panic)\b|\b(?:ERROR|FATAL|CRITICAL|SEVERE|panic(?:ked)?|abort(?:ed|ing)?|terminate[ds]?)\b|^\[?[EF]\d{4} |^\s*(?:[\w. -]{1,40}: ){0,2}(?:error|fatal|failed|cannot|could not|unable|insufficient|not enough|out of)\b|(?:错误|失败|异常)/i;

/**
 * The last line of a text without any known failure that says that memory or a card was short, else the line that it
 * ends with where that is an error about memory or a card; null where neither stands there.
 */
export function readMemoryLine(lines: readonly LogLine[]): ReadFailure | null {
  const whole = unwrapped(lines);
  const written = whole.filter(({ text }) => text.trim() !== '');
  // A logger that calls every line an error says nothing of any.
  const levelTells = isFew(lines, ({ preface }) => severe.test(preface));
  const isShort = lines.filter(({ text }) => text.trim() !== '').length <= shortText;
  const found = (line: LogLine, words: MemoryWords): ReadFailure =>
    memoryFailure(
      line,
      words,
      lines,
      lines.findIndex(({ number }) => number === line.number),
    );
  const end = written.at(-1);
  const cut = end === undefined ? null : cutMessageOf(end.text);
  if (end !== undefined && cut !== null && mayReport(lines, whole, whole.indexOf(end), 0))
    return found(end, cut);
  for (let index = whole.length - 1; index >= 0; index -= 1) {
    const line = whole[index];
    if (line === undefined || !saysShort(lines, whole, index, levelTells, isShort)) continue;
    const words = memoryWordsOf(line.text);
    if (words !== null && words.story !== 'memory-line') return found(line, words);
  }
  if (!isFew(lines, ({ preface, text }) => severe.test(preface) || severe.test(text))) return null;
  const last = written.slice(-endLines).findLast((line) => {
    // Lines may have been joined that only look wrapped: the one that begins must say that it is an error.
    const begins = lines.find(({ number }) => number === line.number) ?? line;
    if (!namesIt.test(line.text) || !isSevere(begins, levelTells)) return false;
    return mayReport(lines, whole, whole.indexOf(line), 0);
  });
  return last === undefined ? null : found(last, { kind: 'other', story: 'memory-line' });
}

/** Whether at most half of the lines are so, or there are too few lines to tell. */
function isFew(lines: readonly LogLine[], isSo: (line: LogLine) => boolean): boolean {
  return lines.length < 4 || lines.filter(isSo).length <= lines.length / 2;
}

export function memoryFailure(
  line: LogLine,
  { kind, story }: MemoryWords,
  lines: readonly LogLine[],
  at: number,
): ReadFailure {
  const format: Format = 'memory-line';
  return bareFailure(format, story, kind, line, surroundings(lines, at, at, line.writer));
}

function saysShort(
  lines: readonly LogLine[],
  whole: readonly LogLine[],
  index: number,
  levelTells: boolean,
  isShort: boolean,
): boolean {
  const line = whole[index];
  if (line === undefined || !namesIt.test(line.text)) return false;
  const match = tooLittle.exec(line.text);
  const isLast = whole.slice(index + 1).every(({ text }) => text.trim() === '');
  const isRaised = startsTraceback(whole[0]?.text ?? '') && isInsideTraceback(whole[index - 1]?.text ?? '');
  if (match === null || !((isShort && isLast) || isRaised || isSevere(line, levelTells))) return false;
  return mayReport(lines, whole, index, match.index);
}

function isSevere({ text, preface }: LogLine, levelTells: boolean): boolean {
  return severe.test(text) || (levelTells && severe.test(preface));
}

/** Whether a line may tell of a failure: no code, help or history, nothing dealt with, and no work goes on behind it. */
function mayReport(
  lines: readonly LogLine[],
  whole: readonly LogLine[],
  index: number,
  wordsAt: number,
): boolean {
  const line = whole[index];
  if (line === undefined || line.text.length > longestLine) return false;
  if (onlySpeaks.test(line.text) || isDealtWith(line.text) || isNarration(whole, index)) return false;
  // A line may look wrapped only because the next is as long.
  const raw = lines.findIndex(({ number }) => number === line.number);
  if (isNarration(lines, raw) || talksOfIt(line.text, line.text.slice(0, wordsAt))) return false;
  return !wentOn.test(
    whole
      .slice(index + 1)
      .map(({ text }) => text)
      .join('\n'),
  );
}

/** A test's name and a word that keeps it off tell of nothing that happened. */
const onlySpeaks = /\bPASSED\b|::test_|防止|避免|没有|如果|以免/;
const longestLine = 2_000;
/** Of so few lines the last is what somebody wants to know about. */
const shortText = 3;
/** An error this near to the end of a log is what it ended with. */
const endLines = 5;
/** A job that goes on after it had dealt with it. */
const wentOn = /\bloss\W{1,4}\d|\b(?:step|iter|epoch)\W{1,3}\d|\bfinished\b|\bcompleted?\b|\blistening\b/i;
