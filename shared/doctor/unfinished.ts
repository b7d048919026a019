import { readOutput } from '../gpu/smi/output';
import { GiB } from '../units';
import type { Case } from './case';
import { quantitiesOf } from './quantities';
import { readGrowth } from './signs/growth';
import { readProgress } from './signs/progress';
import { readSigns } from './signs/signs';
import { surroundings, type Surroundings } from './text/context';
import { unwrapped, type LogLine } from './text/lines';
import { readSmiRows } from './text/smiRows';
import { noFacts, type FailureKind } from './types';

/** Texts that hold no message of any grammar and yet tell of a failure. */

const tracebackLine = /Traceback \(most recent call last\)/;
const frameLine = /^\s*File ["'].+, line \d+|\.(?:py|cpp):\d+ in \w|^\s*❱ ?\d+|^\s*-{2,4}> ?\d+/;
const insideTraceback = /^\s+\S|^\s*[❱>^]|^\s*-{2,4}>|^\s*$|^\.{2,}$/;
const raisedLine = /^(?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt|Exit|Warning)\b(?! +Traceback)/;

/**
 * The last lines end inside a traceback: something was raised and the text stops before it says what. A code block of
 * an issue ends a text, too. Null where the text ends otherwise.
 */
export function readCutTraceback(lines: readonly LogLine[]): Case | null {
  const end = lines.findLastIndex((line) => fence.test(line.text));
  const block = end < 0 ? lines : lines.slice(0, end);
  return (
    cutTracebackAtEndOf(unwrapped(lines), lines) ??
    cutTracebackAtEndOf(withoutRemark(unwrapped(block)), lines)
  );
}

function cutTracebackAtEndOf(block: readonly LogLine[], lines: readonly LogLine[]): Case | null {
  const last = block.findLast((line) => line.text.trim() !== '');
  if (last === undefined) return null;
  const own = block.slice(0, block.indexOf(last) + 1).filter((line) => line.writer === last.writer);
  const start = own.findLastIndex((line) => tracebackLine.test(line.text));
  const tail = start >= 0 ? own.slice(start) : own.slice(-40);
  const frames = tail.filter((line) => frameLine.test(line.text)).length;
  if (frames === 0 && !tracebackLine.test(last.text)) return null;
  if (!insideTraceback.test(last.text) && !frameLine.test(last.text) && !tracebackLine.test(last.text))
    return null;
  if (tail.some((line) => raisedLine.test(line.text))) return null;
  const at = lines.findLastIndex((line) => line.number === last.number);
  return bareCase('traceback-cut', 'traceback', 'other', last, surroundings(lines, at, at, last.writer));
}

/** A person's question or a shell's prompt below a traceback that was cut. */
function withoutRemark(block: readonly LogLine[]): readonly LogLine[] {
  const start = block.findLastIndex((line) => tracebackLine.test(line.text));
  if (start < 0) return block;
  const end = block.findIndex((line, index) => index > start && !insideTraceback.test(line.text));
  const below = block[end]?.text ?? '';
  const isRemark = prompt.test(below) || (block[end - 1]?.text.trim() === '' && !raisedLine.test(below));
  return end < 0 || !isRemark ? block : block.slice(0, end);
}

const prompt = /^(?:\([\w.-]{1,40}\) ?)?[\w.-]{1,40}@[\w.-]{1,60}[: ].{0,120}[$#]|^PS [A-Z]:\\/;

/** What sets a code block apart in Markdown. */
const fence = /^\s*(?:```|~~~)/;

const longestProse = 600;
const mostProseLines = 6;
const saysOutOfMemory =
  /\bout of memory\b|\bOOM\b|\bruns? out of (?:GPU |video )?memory\b|显存不足|爆显存|显存溢出/i;
const speaksOfIt =
  /\b(?:no|not|never|without|avoid\w*|prevent\w*|if|handle\w*|0|zero|fix(?:ed)?|resolved|protect\w*|guard|detect\w*|retr(?:y|ies)|killer|score)\b[^.]{0,40}\b(?:out of memory|OOM)\b|\bOOM[- ]?(?:killer|score|guard|handler|protection|count|safe)|\(OOM\) killer|(?:防止|避免|没有|未|如果|若)[^。；]{0,20}(?:显存不足|爆显存|显存溢出|OOM)|\bOOMs?\b\s*[=:]/i;
const looksLikeLog =
  /\b(?:PASSED|assert|logger\.\w+)\b|\bhandler\b|\d\d:\d\d:\d\d|\d{1,3}%\||[{}<>]|\bloss[=: ]/;

/** A person's own few words ("out of memory during validation") instead of what was printed. */
export function readProse(lines: readonly LogLine[]): Case | null {
  const written = unwrapped(lines).filter(({ text }) => text.trim() !== '' && !fence.test(text));
  const words = written.map(({ text }) => text.trim()).join('\n');
  if (words.length > longestProse || written.length > mostProseLines) return null;
  if (looksLikeLog.test(words)) return null;
  const line = written.find(({ text }) => saysOutOfMemory.test(text) && !speaksOfIt.test(text));
  if (line === undefined || speaksOfIt.test(words)) return null;
  const around = { frames: words, before: words, message: words, after: '', near: words };
  return bareCase('prose', 'gpu-oom', 'oom', line, around);
}

/** nvidia-smi's table alone; whether it tells of a fault is for the rules to say. */
export function readProcessTable(text: string, lines: readonly LogLine[]): Case | null {
  const smiRows = readSmiRows(lines);
  const held = heldWithoutProcess(text);
  const line =
    lines.find(({ number }) => number === smiRows[0]?.line) ?? (held === null ? undefined : lines[0]);
  if (line === undefined) return null;
  const at = lines.indexOf(line);
  const around = surroundings(lines, at, at, line.writer);
  const bare = bareCase('nvidia-smi-table', 'process-table', 'oom', line, around);
  if (held === null) return { ...bare, smiRows };
  const facts = { ...noFacts, gpuIndex: held.gpuIndex };
  return { ...bare, smiRows, facts, details: { heldWithoutProcessBytes: held.bytes } };
}

/** A card that is busy with nothing holds some hundred MiB at most (driver, display). */
const leastHeldBytes = 2 * GiB;
const idlePercent = 3;

/** The idle card that holds most memory of no listed process; null where there is none or no table. */
function heldWithoutProcess(text: string): { gpuIndex: number; bytes: number } | null {
  if (!text.includes('NVIDIA-SMI') || !text.includes('Processes:')) return null;
  const { cards, processes } = readOutput(text);
  const held = cards.flatMap(({ index, memoryUsedBytes, utilizationPercent, mig }) => {
    const listed = processes.some(({ gpuIndex }) => gpuIndex === index);
    const isIdle = utilizationPercent !== null && utilizationPercent <= idlePercent;
    if (index === null || listed || !isIdle || mig.length > 0) return [];
    return (memoryUsedBytes ?? 0) < leastHeldBytes ? [] : [{ gpuIndex: index, bytes: memoryUsedBytes ?? 0 }];
  });
  return held.sort((a, b) => b.bytes - a.bytes)[0] ?? null;
}

function bareCase(
  format: string,
  story: string,
  kind: FailureKind,
  line: LogLine,
  around: Surroundings,
): Case {
  return {
    format,
    formats: [format],
    story,
    kind,
    role: 'cause',
    line: line.number,
    rank: line.rank,
    time: line.time,
    facts: noFacts,
    details: {},
    quantities: quantitiesOf(noFacts, true),
    fresh: true,
    signs: readSigns(around),
    progress: readProgress(around),
    growth: readGrowth(around.before),
    smiRows: [],
    excerpt: line.text.slice(0, 400),
    content: format,
  };
}
