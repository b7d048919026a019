import { readOutput } from '../../gpu/smi/output';
import { GiB } from '../../units';
import { isNarration } from '../events/narration';
import { isDealtWith } from './recovery';
import { bareFailure } from './bareFailure';
import type { ReadFailure } from './readFailure';
import { surroundings } from '../lines/context';
import { isFence, unwrapped, type LogLine } from '../lines/lines';
import { readSmiRows } from '../lines/smiRows';
import { noFacts } from '../types';

/** Texts that hold no message of any grammar and no traceback, and yet tell of a failure. */

const longestProse = 600;
const mostProseLines = 6;
const saysOutOfMemory =
  /\bout of memory\b|\bOOM\b|\bruns? out of (?:GPU |video )?memory\b|显存不足|爆显存|显存溢出/i;
const speaksOfIt =
  /\b(?:no|not|never|without|avoid\w*|prevent\w*|if|handle\w*|0|zero|fix(?:ed)?|resolved|protect\w*|guard|detect\w*|retr(?:y|ies)|killer|score)\b[^.]{0,40}\b(?:out of memory|OOM)\b|\bOOM[- ]?(?:killer|score|guard|handler|protection|count|safe)|\(OOM\) killer|(?:防止|避免|没有|未|如果|若)[^。；]{0,20}(?:显存不足|爆显存|显存溢出|OOM)|\bOOMs?\b\s*[=:]/i;
const looksLikeLog =
  /\b(?:PASSED|assert|logger\.\w+)\b|\bhandler\b|\d\d:\d\d:\d\d|\d{1,3}%\||[{}<>]|\bloss[=: ]|\b\d{1,6} passed\b/;

/** A person's own few words ("out of memory during validation") instead of what was printed. */
export function readProse(lines: readonly LogLine[]): ReadFailure | null {
  const written = unwrapped(lines).filter(({ text }) => text.trim() !== '' && !isFence(text));
  const words = written.map(({ text }) => text.trim()).join('\n');
  if (words.length > longestProse || written.length > mostProseLines) return null;
  if (looksLikeLog.test(words) || isDealtWith(words)) return null;
  // A line may look wrapped only because the next is as long.
  if ([written, lines].some((all) => all.some((_line, index) => isNarration(all, index)))) return null;
  const line = written.find(({ text }) => saysOutOfMemory.test(text) && !speaksOfIt.test(text));
  if (line === undefined || speaksOfIt.test(words)) return null;
  const around = { frames: words, before: words, message: words, after: '', near: words };
  return bareFailure('prose', 'gpu-oom', 'oom', line, around);
}

/** nvidia-smi's table alone; whether it tells of a fault is for the rules to say. */
export function readProcessTable(text: string, lines: readonly LogLine[]): ReadFailure | null {
  const smiRows = readSmiRows(lines);
  const held = heldWithoutProcess(text);
  const line =
    lines.find(({ number }) => number === smiRows[0]?.line) ?? (held === null ? undefined : lines[0]);
  if (line === undefined) return null;
  const at = lines.indexOf(line);
  const around = surroundings(lines, at, at, line.writer);
  const bare = bareFailure('nvidia-smi-table', 'process-table', 'oom', line, around);
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
