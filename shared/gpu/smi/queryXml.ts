/** `nvidia-smi -q -x`: schemas v8 to v13. */
import { emptyProcess, processName, processType } from './card';
import { cellBytes, cellIndex, cellPid, missingReason } from './cell';
import { readFailures } from './failures';
import { child, textAt, type LogElement } from './logCard';
import { readLog, type ListedProcesses } from './logReading';
import { cardName, cardProblem } from '../problems';
import type { CardReading, GpuReading } from '../types';
import { scanXml } from './xml';

/** Process names hold raw `<` and `&`. */
const rawElements = new Set(['process_name']);
/** Thousands of lines of clocks, and the one element that some drivers close out of order. */
const skippedElements = new Set(['supported_clocks']);

function readProcesses(gpu: LogElement, card: CardReading): ListedProcesses {
  const list = child(gpu, 'processes');
  const entries = list?.children.filter(({ name }) => name === 'process_info') ?? [];
  const hidden =
    missingReason(list?.text ?? '') === 'no-permission' ||
    entries.some((entry) => missingReason(textAt(entry, 'pid') ?? '') === 'no-permission');
  const processes = entries
    .map((entry) => ({
      ...emptyProcess(),
      gpuIndex: card.index,
      gpuUuid: card.uuid,
      pid: cellPid(textAt(entry, 'pid')),
      type: processType(textAt(entry, 'type')),
      name: processName(textAt(entry, 'process_name')),
      usedBytes: cellBytes(textAt(entry, 'used_memory')),
      gpuInstance: cellIndex(textAt(entry, 'gpu_instance_id')),
      computeInstance: cellIndex(textAt(entry, 'compute_instance_id')),
    }))
    .filter(({ pid }) => pid !== null);
  return { processes, problems: hidden ? [cardProblem('processes-hidden', cardName(card))] : [] };
}

/** The newest document of a text that may hold several (`-q -x -l N`); a cut one only where there is no whole one. */
function newestDocument(root: LogElement, complete: boolean): { log: LogElement; cut: boolean } {
  const documents = root.children.filter(({ name }) => name === 'nvidia_smi_log');
  const newest = documents.at(-1);
  if (newest === undefined) return { log: root, cut: true };
  const whole = complete ? newest : documents.at(-2);
  return whole === undefined ? { log: newest, cut: true } : { log: whole, cut: false };
}

/** A whole XML output; of a looped one the newest document that is whole. */
export function readQueryXml(text: string): GpuReading {
  const { root, complete } = scanXml(text, rawElements, skippedElements);
  const { log, cut } = newestDocument(root, complete);
  const gpus = log.children.filter(({ name }) => name === 'gpu');
  return readLog({
    format: 'xml',
    log,
    gpus,
    isCut: cut,
    failures: readFailures(`${root.text}\n${log === root ? '' : log.text}`),
    processesOf: readProcesses,
  });
}
