/** `nvidia-smi -q` without `-x`: labels and values in columns, nested by indentation. */
import { emptyProcess, processName, processType } from './card';
import { cellBytes, cellIndex, cellPid, missingReason } from './cell';
import { readFailures } from './failures';
import { child, textAt, type LogElement } from './logCard';
import { readLog, type ListedProcesses } from './logReading';
import { cardName, cardProblem } from '../problems';
import type { CardReading, GpuProcess, GpuReading } from '../types';

interface OpenElement extends LogElement {
  children: OpenElement[];
}

const cardLine = /^GPU ((?:[0-9a-f]{1,8}:)?[0-9a-f]{1,2}:[0-9a-f]{1,2}\.[0-7])\s*$/i;
/** A label, at least one blank, a colon, the value. Labels hold no colon. */
const valueLine = /^([^:]{1,80}?)\s*:(?!\S)(.*)$/;

/** `FB Memory Usage` as the XML spells it: `fb_memory_usage`. */
function elementName(label: string): string {
  return label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
}

/** nvidia-smi nests six deep; what is deeper stays where it is. */
const maxDepth = 24;

/** The tree of one log. `from` says how far the whole text is indented (a quoted paste). */
function readTree(lines: readonly string[]): { log: LogElement; gpus: LogElement[] } {
  const log: OpenElement = { name: 'log', id: null, children: [], text: '' };
  const gpus: OpenElement[] = [];
  let stack: { indent: number; element: OpenElement }[] = [{ indent: -1, element: log }];
  let cardIndent = 0;
  for (const line of lines) {
    const content = line.trim();
    if (content === '') continue;
    const indent = line.length - line.trimStart().length;
    const busId = cardLine.exec(content)?.[1];
    if (busId !== undefined) {
      const gpu: OpenElement = { name: 'gpu', id: busId, children: [], text: '' };
      gpus.push(gpu);
      cardIndent = indent;
      stack = [{ indent, element: gpu }];
      continue;
    }
    if (gpus.length > 0 && indent <= cardIndent) stack = [{ indent: -1, element: log }];
    while (stack.length > 1 && indent <= (stack.at(-1)?.indent ?? -1)) stack.pop();
    const match = valueLine.exec(content);
    const element: OpenElement = {
      name: elementName(match?.[1] ?? content.slice(0, 80)),
      id: null,
      children: [],
      text: (match?.[2] ?? '').trim(),
    };
    stack.at(-1)?.element.children.push(element);
    if (stack.length < maxDepth) stack.push({ indent, element });
  }
  return { log, gpus };
}

/**
 * The processes of a card. Each begins with its instance ids where the driver prints them (from 450 on), then its
 * pid, with type, name and memory below.
 */
function readProcesses(gpu: LogElement, card: CardReading): ListedProcesses {
  const list = child(gpu, 'processes');
  const processes: GpuProcess[] = [];
  let hidden = missingReason(list?.text ?? '') === 'no-permission';
  let gpuInstance: number | null = null;
  let computeInstance: number | null = null;
  for (const element of list?.children ?? [])
    switch (element.name) {
      case 'gpu_instance_id':
        gpuInstance = cellIndex(element.text);
        break;
      case 'compute_instance_id':
        computeInstance = cellIndex(element.text);
        break;
      case 'process_id': {
        const pid = cellPid(element.text);
        hidden ||= missingReason(element.text) === 'no-permission';
        if (pid !== null)
          processes.push({
            ...emptyProcess(),
            gpuIndex: card.index,
            gpuUuid: card.uuid,
            pid,
            type: processType(textAt(element, 'type')),
            name: processName(textAt(element, 'name')),
            usedBytes: cellBytes(textAt(element, 'used_gpu_memory')),
            gpuInstance,
            computeInstance,
          });
        gpuInstance = null;
        computeInstance = null;
        break;
      }
    }
  return { processes, problems: hidden ? [cardProblem('processes-hidden', cardName(card))] : [] };
}

/** A full log ends each card with its processes; a filtered one (`-q -d MEMORY`) does not even name the product. */
function isCut(gpus: readonly LogElement[]): boolean {
  const last = gpus.at(-1);
  return last === undefined || (child(last, 'product_name') !== null && child(last, 'processes') === null);
}

const logLine = /^\s*=+\s*NVSMI LOG\s*=+\s*$/;

/** A whole text output; of a looped one (`-q -l N`) the newest log that is whole. */
export function readQueryText(text: string): GpuReading {
  const lines = text.split('\n');
  const starts = lines.flatMap((line, place) => (logLine.test(line) ? [place] : []));
  const from = starts.at(-1) ?? 0;
  const before = starts.at(-2);
  let tree = readTree(lines.slice(from));
  if (isCut(tree.gpus) && before !== undefined) tree = readTree(lines.slice(before, from));
  const { log, gpus } = tree;
  return readLog({
    format: 'query-text',
    log,
    gpus,
    isCut: isCut(gpus),
    failures: readFailures(text),
    processesOf: readProcesses,
  });
}
