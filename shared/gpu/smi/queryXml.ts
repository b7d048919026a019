/** `nvidia-smi -q -x`: schemas v8 to v13. */
import { emptyProcess, processName, processType } from './card';
import { cellBytes, cellIndex, cellPid, missingReason } from './cell';
import { readFailures } from './failures';
import { child, readLogCard, readVersions, textAt, type LogElement } from './logCard';
import { cardName, problem, uniqueProblems } from '../problems';
import { emptyReading } from './reading';
import type { CardReading, GpuProcess, GpuReading, Problem } from '../types';
import { scanXml } from './xml';

/** Process names hold raw `<` and `&`. */
const rawElements = new Set(['process_name']);
/** Thousands of lines of clocks, and the one element that some drivers close out of order. */
const skippedElements = new Set(['supported_clocks']);

function readProcesses(gpu: LogElement, card: CardReading): { processes: GpuProcess[]; problems: Problem[] } {
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
  return { processes, problems: hidden ? [problem.processesHidden(cardName(card))] : [] };
}

/** The newest document of a text that may hold several (`-q -x -l N`); a cut one only where there is no whole one. */
function newestDocument(root: LogElement, complete: boolean): { log: LogElement; cut: boolean } {
  const documents = root.children.filter(({ name }) => name === 'nvidia_smi_log');
  const newest = documents.at(-1);
  if (newest === undefined) return { log: root, cut: true };
  const whole = complete ? newest : documents.at(-2);
  return whole === undefined ? { log: newest, cut: true } : { log: whole, cut: false };
}

/**
 * A whole XML output. A card's index is its place: the format does not print it, and nvidia-smi lists the cards in
 * index order (asked with `-i`, the listed cards are fewer than the attached ones, which is said).
 */
export function readQueryXml(text: string): GpuReading {
  const { root, complete } = scanXml(text, rawElements, skippedElements);
  const { log, cut } = newestDocument(root, complete);
  const gpus = log.children.filter(({ name }) => name === 'gpu');
  const read = gpus.map((gpu, index) => {
    const { card, problems } = readLogCard(gpu, index);
    const { processes, problems: hidden } = readProcesses(gpu, card);
    return { card, processes, problems: [...problems, ...hidden] };
  });
  const attached = cellIndex(textAt(log, 'attached_gpus'));
  return {
    ...emptyReading('xml'),
    ...readVersions(log),
    cards: read.map(({ card }) => card),
    processes: read.flatMap(({ processes }) => processes),
    problems: uniqueProblems([
      ...read.flatMap(({ problems }) => problems),
      ...readFailures(`${root.text}\n${log === root ? '' : log.text}`),
      ...(cut ? [problem.inputCut()] : []),
      ...(attached !== null && attached > gpus.length ? [problem.cardsMissing(attached, gpus.length)] : []),
    ]),
  };
}
