import { isNarration } from '../events/narration';
import { talksOfIt } from '../events/statement';
import { surroundings } from '../lines/context';
import { unwrapped, type LogLine } from '../lines/lines';
import type { Format } from '../format';
import type { FailureKind, Story } from '../types';
import { bareFailure } from './bareFailure';
import { isDealtWith } from './recovery';
import type { ReadFailure } from './readFailure';

/**
 * Errors about memory or a card in words that no grammar knows: what they are is told by the words they use, and no more
 * than that.
 */
export interface MemoryWords {
  readonly kind: FailureKind;
  readonly story: Story;
}

/** Says that there was too little: the nouns decide of what. */
const tooLittle =
  /\bout[- ]of[- ](?:\w+ ){0,2}(?:memory|mem|vram|ram|resources?)\b|OutOfMemory|OutOfResource|\bOOM\b|\binsufficient\b|\bnot enough\b|\bno(?:t| more)? (?:sufficient|available|free) |\black of\b|\bran? out of\b|\bexhaust\w*|\bexceed\w*|\b(?:larger|greater|more|bigger) than\b.{0,40}\b(?:available|free|capacity|maximum|limit)|\b(?:cannot|can't|can not|could not|couldn't|unable to|failed to|fail to)\b.{0,30}\b(?:allocat\w*|reserve|malloc|mmap|map|fit)\b|\balloc\w*\b.{0,30}\b(?:fail\w*|error|refused)\b|\b(?:fail\w*|error)\b.{0,30}\balloc\w*\b|\btoo (?:low|small|little)\b|\bdoes ?n[o']t fit\b|\bkilled\b|不足|溢出|耗尽|超出/i;
const ofCard =
  /\b(?:GPU|CUDA|HIP|ROCm|XPU|NPU|TPU|MPS|Metal|VRAM|HBM|device|card|cuda|nvidia|tensor|video|graphics|DRM|Vulkan|OpenCL|accelerator)\w{0,12}\b|显存|显卡|OutOfMemoryError/i;
const ofSharedMemory = /\bshm\b|\/dev\/shm|shared[- ]memory segment|\bshmget\b|\bshm_open\b/i;
const ofHost =
  /\b(?:RAM|host|system|main|virtual|physical|swap|heap|cpu|page ?file|paging|cgroup|node|process|worker|killed|mmap|malloc)\b|cannot allocate memory|内存/i;
const namesIt =
  /\b(?:memory|RAM|VRAM|GPU|CUDA|HIP|XPU|NPU|TPU|MPS|Metal|shm|OOM|killed|device|HBM|swap|malloc|mmap)\b|OutOfMemory|ResourceExhausted|显存|内存/i;

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
  /^\s*(?:[A-Za-z_]\w{0,60}[.:]{1,2}){0,8}\w{0,60}(?:Error|Exception|Failure|Panic)\b|\b(?:ERROR|FATAL|CRITICAL|SEVERE|panic(?:ked)?|abort(?:ed|ing)?|terminate[ds]?)\b|^\s*(?:[\w. -]{1,40}: ){0,2}(?:error|fatal|failed|cannot|could not|unable|insufficient|not enough|out of)\b|(?:错误|失败|异常)/i;

/** The last line of a text without any known failure that says that memory or a card was short; null where none does. */
export function readMemoryLine(lines: readonly LogLine[]): ReadFailure | null {
  const whole = unwrapped(lines);
  // A logger that calls every line an error says nothing of any.
  const levelTells =
    whole.filter(({ preface }) => severe.test(preface)).length <= whole.length / 2 || whole.length < 3;
  const isShort = lines.filter(({ text }) => text.trim() !== '').length <= shortText;
  for (let index = whole.length - 1; index >= 0; index -= 1) {
    const line = whole[index];
    if (line === undefined || !saysShort(whole, index, levelTells, isShort)) continue;
    const words = memoryWordsOf(line.text);
    if (words === null || words.story === 'memory-line') continue;
    const at = lines.findIndex(({ number }) => number === line.number);
    return memoryFailure(line, words, lines, at);
  }
  return null;
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

function saysShort(lines: readonly LogLine[], index: number, levelTells: boolean, isShort: boolean): boolean {
  const text = lines[index]?.text ?? '';
  if (text.length > longestLine || !namesIt.test(text) || onlySpeaks.test(text) || isDealtWith(text))
    return false;
  const match = tooLittle.exec(text);
  const isLast = lines.slice(index + 1).every((line) => line.text.trim() === '');
  if (
    match === null ||
    !((isLast && isShort) || severe.test(text) || (levelTells && severe.test(lines[index]?.preface ?? '')))
  )
    return false;
  const before = text.slice(0, match.index);
  return (
    !isNarration(lines, index) &&
    !talksOfIt(text, before) &&
    !wentOn.test(
      lines
        .slice(index + 1)
        .map((line) => line.text)
        .join('\n'),
    )
  );
}

/** A test's name and a word that keeps it off tell of nothing that happened. */
const onlySpeaks = /\bPASSED\b|::test_|防止|避免|没有|如果|以免/;
const longestLine = 2_000;
/** Of so few lines the last is what somebody wants to know about. */
const shortText = 3;
/** A job that goes on after it had dealt with it. */
const wentOn = /\bloss\W{1,4}\d|\b(?:step|iter|epoch)\W{1,3}\d|\bfinished\b|\bcompleted?\b|\blistening\b/i;
