/** A whole log of `nvidia-smi -q`, as XML or as text, once it is a tree. */
import { cellIndex } from './cell';
import { readLogCard, readVersions, textAt, type LogElement } from './logCard';
import { machineProblem, uniqueProblems } from '../problems';
import { emptyReading } from './reading';
import type { CardReading, GpuProcess, GpuReading, OutputFormat, Problem } from '../types';

/** What a card's list of processes says. */
export interface ListedProcesses {
  readonly processes: readonly GpuProcess[];
  readonly problems: readonly Problem[];
}

export interface QueryLog {
  readonly format: OutputFormat;
  readonly log: LogElement;
  /** Its cards, in the order of their indices. */
  readonly gpus: readonly LogElement[];
  /** The text ends before the log does. */
  readonly isCut: boolean;
  /** What the text around the log says of failures. */
  readonly failures: readonly Problem[];
  /** Each format lists processes in its own way. */
  readonly processesOf: (gpu: LogElement, card: CardReading) => ListedProcesses;
}

/**
 * The cards, processes and problems of a log. A card's index is its place: the format does not print it, and nvidia-smi
 * lists the cards in index order (asked with `-i`, the listed cards are fewer than the attached ones, which is said).
 */
export function readLog({ failures, format, gpus, isCut, log, processesOf }: QueryLog): GpuReading {
  const read = gpus.map((gpu, index) => {
    const { card, problems } = readLogCard(gpu, index);
    const listed = processesOf(gpu, card);
    return { card, processes: listed.processes, problems: [...problems, ...listed.problems] };
  });
  const attached = cellIndex(textAt(log, 'attached_gpus'));
  return {
    ...emptyReading(format),
    ...readVersions(log),
    cards: read.map(({ card }) => card),
    processes: read.flatMap(({ processes }) => processes),
    problems: uniqueProblems([
      ...read.flatMap(({ problems }) => problems),
      ...failures,
      ...(isCut ? [machineProblem('input-cut')] : []),
      ...(attached !== null && attached > gpus.length
        ? [machineProblem('cards-missing', attached, gpus.length)]
        : []),
    ]),
  };
}
